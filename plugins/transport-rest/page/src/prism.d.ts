// Prism's own files have no types; tokens are read as described at https://prismjs.com/docs/global.html#Token.
declare module "prismjs/components/*";
