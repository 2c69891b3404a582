// Package scoring decides what an answer is worth (specification, sections 2.1, 2.2 and
// 3; decisions, sections 3 and 4). It is pure: a Key, which a snapshot freezes, a Config
// and a Response go in, an Item comes out; Total adds the items up to a Result.
//
// # Types
//
// Types has a row for each question type. It says what an answer is, which parts a question has
// and how its answers are scored; everybody else asks the row and names no type.
//
// # Rules of an item
//
//	mcq         the weight if the one selected option is right, else 0
//	mrq         all_or_nothing: the weight if exactly the right options are selected, else 0
//	            partial: max(0, right selected - wrong selected) / right options * weight
//	short_text  the weight if the text is an accepted one, case and white space folded
//	numeric     the weight if |answer - value| <= tolerance, in decimal arithmetic
//	order       all_or_nothing: the weight if every option is at its place, else 0
//	            partial: options at their place / options * weight
//	match       partial: max(0, right pairs - wrong pairs) / all right pairs * weight, where wrong ones count only if a
//	            prompt takes several; all_or_nothing: the weight for exactly the right pairs
//	gap         partial: weights of right gaps / all weights * weight; all_or_nothing: the weight if every gap is right
//	essay       0 and PENDING until a person has scored it
//
// An omitted answer (none, no option, blank text) is EXEMPT and scores 0 of its max. An
// answer that breaks a constraint is INVALID, scores 0 and says why in InvalidCode. With
// negative marking a scored answer that earns nothing costs that fraction of the weight.
// Partial credit that comes to nothing is such an answer; an INVALID one is not.
//
// # Exactness
//
// Scores of items have ten decimals, as in the columns numeric(20,10); halves round away from
// zero. A total is the sum of what the items are worth before that, and rounded once: three
// thirds are 1. It is exact as long as it stays below MaxTotal.
//
// # Total and outcome
//
// Survey items (ContributesToScore false) count neither towards the score nor towards the
// max, nor as pending. The total is never below 0. The outcome is pass or fail when a
// pass mark is set, nothing is pending and there is something to score; incomplete while
// something is pending; otherwise the default outcome. The pass mark is compared with the
// rounded totals, the ones that everybody sees.
//
// # Field codes
//
// ParseResponse and Check report errs.Field with one of the Code constants. The codes
// too_few_selections and too_many_selections of an mrq or an order appear only in Item.InvalidCode:
// such an answer may be saved.
package scoring
