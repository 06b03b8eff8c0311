// Starts the registry on a free port and prints it.
// Usage: start.js PACKAGE_JSON CONFIG_JSON   (whose node_modules holds verdaccio; its configuration)
const { createRequire } = require('module');
const { readFileSync } = require('fs');

const [, , packages, config] = process.argv;
const { runServer } = createRequire(packages)('verdaccio');

runServer(JSON.parse(readFileSync(config))).then((app) => {
  const server = app.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
});
