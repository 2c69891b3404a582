// Starts the API reference on the description that the page names. Whatever would need
// another host is off: fonts, telemetry, the assistant and the hosted client.
const page = document.getElementById("reference");

Scalar.createApiReference(page, {
  url: page.dataset.description,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  // It takes seconds to draw all calls. Until then the page shows the first chapter.
  onLoaded: () => document.getElementById("introduction")?.remove(),
});
