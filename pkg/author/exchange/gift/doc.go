// Package gift reads and writes GIFT, the plain text format of Moodle (docs.moodle.org/en/GIFT_format;
// question/format/gift/format.php for details that the page leaves open).
//
// Whatever GIFT cannot say is in a comment line before the question, in the manner of Moodle's own [id:…] and [tag:…], so that
// our own files come back as they went out: [scoring:…], [min:…], [max:…], [weight:…], [lang:…], [options:…], [layout:…].
package gift
