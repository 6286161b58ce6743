/** What the patterns of declared fields and parameters allow, in words for error messages. */
const texts: Readonly<Record<string, string>> = {
  '^([1-9][0-9]{0,2}|1000)$': 'must be a whole number from 1 to 1000',
  '^([1-9][0-9]?|100)$': 'must be a whole number from 1 to 100',
  '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$': "must be 'true' or 'false'",
  '^[a-z0-9]+(-[a-z0-9]+)*$':
    'must have only lower-case letters and digits, in words joined by single hyphens',
  '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$':
    'must have only lower-case letters, digits and hyphens, and begin and end with a letter or digit',
  '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$':
    'must have only lower-case letters, digits, hyphens and dots, and begin and end with a letter or digit',
  '^\\S+$': 'must have at least one character, and no spaces',
  '^\\S*$': 'must have no spaces',
  '^[A-Za-z0-9_-]+$': 'must have only letters, digits, hyphens and underscores',
  '^[A-Za-z0-9][A-Za-z0-9_-]*$':
    'must have only letters, digits, hyphens and underscores, and begin with a letter or digit',
  '^[A-Za-z0-9_.-]+$': 'must have only letters, digits, dots, hyphens and underscores',
  '^[A-Za-z0-9.-]+$': 'must have only letters, digits, dots and hyphens',
  '^[0-9A-Za-z-]+$': 'must have only letters, digits and hyphens',
  '^[0-9a-f]+$': 'must have only the digits 0 to 9 and the letters a to f',
  '^[0-9a-f-]+$': 'must have only the digits 0 to 9, the letters a to f and hyphens',
  '^([0-9a-f]{5,64})?$': 'must be empty, or have 5 to 64 of the digits 0 to 9 and the letters a to f',
  '^([A-Za-z0-9_+.-]+:[A-Za-z0-9=_-]+)?$':
    "must be empty, or '<algorithm>:<value>' such as 'sha256:' with 64 hexadecimal digits",
  '^(https?://)?([A-Za-z0-9.-]+|\\[[A-Fa-f0-9:]+\\])(:[0-9]+)?(/[A-Za-z0-9._/-]*)?$':
    'must be a host, with a port and a path where it has them, and without user, tag or wildcard',
  '^[a-z0-9-]+(/[a-z0-9-]+)?$':
    "must be '<type>' or '<organization>/<type>', with lower-case letters, digits and hyphens",
  '^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$':
    "must be '<organization>/<driver>', with letters, digits, hyphens, underscores and, in the name of the driver, dots",
  '^[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9][A-Za-z0-9_-]*)?([.][A-Za-z0-9][A-Za-z0-9_-]*)?$':
    "must be '<type>' or '<type>.<class>', with letters, digits, hyphens and underscores",
  '^[A-Za-z0-9_][A-Za-z0-9._-]*$':
    'must have only letters, digits, dots, hyphens and underscores, and begin with none of dot and hyphen',
}

/** What a pattern allows, as the end of a sentence about a field. */
export function textOfPattern(pattern: string): string | undefined {
  return Object.hasOwn(texts, pattern) ? texts[pattern] : undefined
}
