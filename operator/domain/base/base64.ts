/** Whether a text is Base64 with its padding, and without white space. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

/** Bytes of a content in Base64, which may have white space. */
export function base64Bytes(text: string): number {
  return Math.floor((text.replace(/[\s=]/g, '').length * 3) / 4)
}
