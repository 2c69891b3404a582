// The words of the page: those of the language of the exam, and before one is open those of the browser. A sentence is named by
// its English; languages/ has one file for each other language.
import { spoken } from "./content.js"

const known = ["ar", "de", "en", "es", "fr"]
let words = {}

// speak chooses the language: of an exam by its locale, and without one of the browser. One that has no file is spoken in English.
export async function speak(locale) {
  const language = (locale ? [locale] : navigator.languages).map(l => new Intl.Locale(l).language).find(l => known.includes(l)) ?? "en"
  if (language === tongue()) return
  const file = language === "en" ? {} : await import(`./languages/${language}.js`).then(m => m.default, () => null)
  if (!file) return // without a connection the page goes on in the words that it has
  words = file
  Object.assign(document.documentElement, spoken(language))
}
export const tongue = () => document.documentElement.lang

// t says a sentence, with values in the place of the names in braces.
export const t = (english, values = {}) => (words[english] ?? english).replace(/\{(\w+)\}/g, (_, name) => values[name])
