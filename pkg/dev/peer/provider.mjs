// An OpenID provider for tests: npm's oidc-provider, certified by the OpenID Foundation, with a sign-in page of its own. Whoever types a
// name is that person; who also ticks the second factor gets the strong acr. It ends with its standard input.
import { generateKeyPairSync } from "node:crypto"
import { createServer } from "node:https"
import Provider, { interactionPolicy } from "oidc-provider"

const { cert, key, strong } = JSON.parse(process.env.PEER)
const server = createServer({ cert, key })
process.stdin.resume().on("end", () => process.exit())

const { Check, base } = interactionPolicy
const policy = base()
policy.get("login").checks.add(new Check("strong_acr", "the session is not strong enough", ({ oidc }) => {
  const asked = (oidc.params.acr_values ?? "").split(" ")
  return asked.includes(strong) && !asked.includes(oidc.acr) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT
}))

const page = (uid, prompt) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title>
<link rel="icon" href="data:,"></head><body><main><h1>The provider</h1><form method="post" action="/interaction/${uid}">
<label>Name <input name="login" required></label> <label><input type="checkbox" name="second" value="yes"> Second factor</label>
<button>Enter</button></form><p>${prompt}</p></main></body></html>`

async function read(request) {
  let text = ""
  for await (const part of request) text += part
  return text
}

server.listen(0, "127.0.0.1", () => {
  const issuer = `https://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    acrValues: [strong, "0"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], acr: null, amr: null, auth_time: null, sid: null, iss: null },
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt"],
    cookies: { keys: ["not a secret"] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource(ctx, form) { ctx.body = form + `<button form="op.logoutForm" name="logout" value="yes">Out</button>` } } },
    fetch(url, options) { // it calls this machine, which it would not by itself
      delete options.dispatcher
      return fetch(url, options)
    },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: id, email: `${id}@north.example`, email_verified: true }) }),
    interactions: { policy, url: (_, interaction) => `/interaction/${interaction.uid}` },
    jwks: { keys: [{ ...generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] },
    async loadExistingGrant({ oidc }) { // nobody is asked for consent
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope("openid email profile")
      await grant.save()
      return grant
    },
  })
  const callback = provider.callback()
  server.on("request", async (request, response) => {
    try {
      const [, uid] = request.url.match(/^\/interaction\/([\w-]+)$/) ?? []
      if (request.url === "/test/clients") { // the test registers its clients
        const client = JSON.parse(await read(request))
        await provider.Client.adapter.upsert(client.client_id, client)
        response.end()
      } else if (uid && request.method === "POST") {
        const form = new URLSearchParams(await read(request)), second = form.get("second") === "yes"
        const ts = Math.floor(Date.now() / 1000) - Number(form.get("ago")) // a test signs somebody in long ago
        await provider.interactionFinished(request, response, { login: { accountId: form.get("login"), ts, acr: second ? strong : "0", amr: second ? ["pwd", "otp"] : ["pwd"] } })
      } else if (uid) {
        const { prompt } = await provider.interactionDetails(request, response)
        response.setHeader("Content-Type", "text/html; charset=utf-8")
        response.end(page(uid, prompt.reasons.join(" ")))
      } else callback(request, response)
    } catch (problem) {
      response.statusCode = 500
      response.end(String(problem))
    }
  })
  for (const event of ["server_error", "authorization.error", "grant.error", "backchannel.error"]) provider.on(event, (_, problem) => console.error(event, problem?.error, problem?.error_description ?? problem))
  console.log(issuer)
})
