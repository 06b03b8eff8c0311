// Loaded before the conformance suite, which has no option for a token: adds the header to every
// request that it sends with fetch, undici or node's own client.
import http from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';

const token = 'Bearer conformance-token';

const fetched = globalThis.fetch;
globalThis.fetch = (input, options = {}) => {
  const headers = new Headers(options.headers ?? input.headers);
  if (!headers.has('authorization')) headers.set('authorization', token);
  return fetched(input, { ...options, headers });
};

const sent = http.request;
http.request = (...all) => {
  const request = sent(...all);
  if (!request.hasHeader('authorization')) request.setHeader('authorization', token);
  return request;
};
syncBuiltinESMExports();

// The suite's own undici: all its requests pass through the dispatcher.
const require = createRequire(pathToFileURL(process.argv[1]));
const undici = require('undici');
undici.setGlobalDispatcher(
  undici.getGlobalDispatcher().compose((dispatch) => (options, handler) => {
    const headers = options.headers ?? {};
    const named = Array.isArray(headers)
      ? headers.some((name, i) => i % 2 === 0 && String(name).toLowerCase() === 'authorization')
      : Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
    if (named) return dispatch(options, handler);
    const all = Array.isArray(headers)
      ? [...headers, 'authorization', token]
      : { ...headers, authorization: token };
    return dispatch({ ...options, headers: all }, handler);
  }),
);
