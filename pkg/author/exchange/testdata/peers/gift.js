// Says of each question in a file of GIFT its type, id and options, as another reader has them.
const { readFileSync } = require("node:fs")
const { parse } = require("gift-pegjs")

const questions = parse(readFileSync(process.argv[2], "utf8")).filter(q => q.type !== "Category")
console.log(JSON.stringify(questions.map(q => ({ type: q.type, id: q.id, options: Array.isArray(q.choices) ? q.choices.length : (q.matchPairs ?? []).length }))))
