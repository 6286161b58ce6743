// Turns TypeScript into ES modules for Jest: types are stripped, nothing is checked (`tsc` does that).
import { createHash } from 'node:crypto'
import { transformSync, version } from 'esbuild'

export default {
  process: (source, file) => ({
    code: transformSync(source, {
      loader: 'ts',
      format: 'esm',
      target: 'node24',
      sourcemap: 'inline',
      sourcefile: file,
    }).code,
  }),
  getCacheKey: (source, file, options) =>
    createHash('sha1')
      .update(`${source}\0${file}\0${version}\0${options.configString}\0${options.instrument}`)
      .digest('hex'),
}
