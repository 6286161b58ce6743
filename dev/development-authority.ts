import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A certificate authority of this checkout, `ca.crt` and `ca.key`, made once. */
export async function ensureDevelopmentAuthority(directory: string): Promise<void> {
  const [certificate, key] = [join(directory, 'ca.crt'), join(directory, 'ca.key')]
  if (existsSync(certificate) && existsSync(key)) return
  const subject = ['-subj', '/CN=Quartermaster development CA', '-addext', 'keyUsage=critical,keyCertSign,cRLSign']
  const files = ['-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '3650', ...subject, ...files], {
    stdio: 'pipe',
  })
}
