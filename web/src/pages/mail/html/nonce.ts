/** Of this page, as the service put it there: the only style elements that apply are those that bear it. */
export function pageNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}
