// What a call is refused for, in the words of the page. The service says it in English; that is shown where the page has no words for it.
import { when } from "./page.js"
import { t } from "./words.js"

const again = () => t("Something changed meanwhile. Try again.")
const broken = () => t("Something went wrong in the service. Try again; if it goes on, tell whoever invited you.")
const later = () => t("The service does not answer. Try again.")
const notGiven = () => t("This exam is not given at present. Ask whoever invited you.")
const signIn = () => t("Sign in to go on. Nothing is lost.")
const strange = () => t("This page and the service do not understand each other. Load the page again.")

// enclosed says what a browser lacks; Safe Exam Browser itself may run with other settings.
const enclosed = ({ missing = [] }) => missing.includes("seb_config_key") ? globalThis.SafeExamBrowser ?
  t("The settings of Safe Exam Browser are not those of the exam. Open it with the file that belongs to it.") : t("This exam is taken in Safe Exam Browser.") :
  missing.includes("seb_browser_exam_key") ? t("This exam is not for this version of Safe Exam Browser, or not with these settings.") :
    t("This exam asks for a browser that locks the screen, and this one does not. Ask whoever invited you.")

const words = {
  archived: notGiven,
  assignment_not_open: () => t("This exam is not open at this time."),
  assignment_not_redeemed: () => t("Open the link of your invitation first."),
  attempt_limit_reached: () => t("You have no attempt left."),
  conflict: again,
  cooloff_active: ({ availableAt }) => [t("Your next attempt is not open yet."), availableAt && t("It opens on {when}.", { when: when(availableAt) })].filter(Boolean).join(" "),
  database_full: later,
  database_unavailable: later,
  file_damaged: broken,
  forbidden: () => t("You may not do this. Ask whoever invited you."),
  group_membership_required: () => t("This exam is for the members of a group, and you are not one of them now. Ask whoever invited you."),
  idempotency_in_progress: again,
  idempotency_key_required: strange,
  idempotency_key_reused: strange,
  internal_error: broken,
  item_left: () => t("Nobody goes back in this exam."),
  link_invalid: () => t("That link was used, or its time is over. We send you a new one."),
  lockdown_required: enclosed,
  malformed_request: strange,
  method_not_allowed: strange,
  not_acceptable: strange,
  not_found: () => t("This is not there any more, or not for you. Ask whoever invited you."),
  not_published: notGiven,
  outcome_unknown: later,
  processing_restricted: () => t("Your data may not be used at present, so nothing was done. Ask whoever invited you."),
  rate_limited: () => t("Many people are here at this moment. Try again in a minute."),
  request_timeout: later,
  request_too_large: () => t("This is more than the service takes. Make your answer shorter."),
  revision_mismatch: again,
  route_not_found: strange,
  section_time_over: () => t("The time of this section is over."),
  session_not_open: () => t("This exam is over."),
  session_superseded: () => t("This exam is open in another window"),
  shutting_down: later,
  snapshot_damaged: broken,
  step_up_required: () => t("The service wants a proof that it is you, which this page cannot give. Ask whoever invited you."),
  storage_full: later,
  storage_unavailable: later,
  subject_erased: () => t("Your data are being erased, or were. Nothing more is written about you."),
  token_expired: signIn,
  unauthenticated: signIn,
  unsupported_media_type: strange,
  validation_failed: () => t("The service cannot take what was typed. Look at it again."),
}

export const wordsFor = ({ code, details = {}, message }) => Object.hasOwn(words, code) ? words[code](details) : message
