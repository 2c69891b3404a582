// Package qti reads QTI 1.2 (plain, of Canvas, in Common Cartridges), 2.0 to 2.2 and 3.0 of 1EdTech, as one XML file or as a package: a
// ZIP archive with imsmanifest.xml. It writes packages of QTI 3.0.
//
// The names of 3.0 are turned into names of 2.x (qti-choice-interaction becomes choiceInteraction), so that one reader
// serves both. Interactions has a row for each kind of interaction that is read; no response processing is run:
// Templates, the lack of one, and four shapes that most tools write are recognised, and anything else is a notice.
package qti
