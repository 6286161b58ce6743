import { render } from 'preact'
import { Portal } from './components/portal.tsx'
import { followLinks } from './routing/router.ts'

const root = document.getElementById('portal')
if (root) {
  followLinks(root)
  render(<Portal />, root)
}
