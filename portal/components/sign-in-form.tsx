import { useState } from 'preact/hooks'
import { baseAddress } from '../api/base-address.ts'
import { asProblem } from '../api/problem.ts'
import { identityProvider, signIn } from '../api/session.ts'

interface Props {
  /** Opens the identity provider in another tab, so that the page keeps what was typed. */
  readonly keepsPage: boolean
}

/** Sign-in with the identity provider or with an API token, which is kept nowhere. */
export function SignInForm({ keepsPage }: Props) {
  const [message, setMessage] = useState('')
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const token = String(new FormData(form).get('token') ?? '').trim()
    form.reset()
    setBusy(true)
    try {
      await signIn(token)
    } catch (error) {
      const { status, message: text } = asProblem(error)
      setMessage(status === 429 ? 'Too many attempts. Wait a moment, then try again.' : sentence(text))
    }
    setBusy(false)
  }
  return (
    <>
      {identityProvider.value !== undefined && <ProviderLink keepsPage={keepsPage} />}
      <form class="sign-in-form" onSubmit={(event) => void submit(event)}>
        <label for="token">API token</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          maxLength={1024}
          autocomplete="off"
          spellcheck={false}
          autofocus
        />
        <button class="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
      <p class="form-message" role="alert">
        {message}
      </p>
    </>
  )
}

function ProviderLink({ keepsPage }: Props) {
  const remember = () => {
    if (!keepsPage) sessionStorage.setItem('return-to', location.href)
  }
  return (
    <p>
      <a
        class="button primary wide"
        href={`${baseAddress}auth/oidc`}
        target={keepsPage ? '_blank' : undefined}
        rel="noopener"
        onClick={remember}
      >
        Sign in with {identityProvider.value}
      </a>
    </p>
  )
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
