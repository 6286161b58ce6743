import { expect, test } from '@jest/globals'
import { emptyText } from '../../../../portal/pages/applications/empty-text.ts'

test.each([
  ['administrator', 'No application yet. Create one with REST, kubectl or Git.'],
  ['orgViewer', 'No application yet.'],
  ['manager', 'No application that your roles let you see. Create one with REST, kubectl or Git.'],
  ['member', 'No application that your roles let you see.'],
])('an empty list says to one with the role %s what is known and allowed', (role, expected) => {
  expect(emptyText({ '/orgs/acme': role }, 'acme')).toBe(expected)
})
