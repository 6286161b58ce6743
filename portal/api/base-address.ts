/** Path of the gateway as the browser sees it: a proxy may add a prefix. Scripts are in `<prefix>/assets/`. */
export const baseAddress = new URL(import.meta.url).pathname.replace(/[^/]*\/[^/]*$/, '')
