/** The pool of undici alone: with all else, undici needs twice the memory. */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici'
}
