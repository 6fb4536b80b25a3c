/** Sends a request like `fetch`, and reports the progress of its body, which `fetch` does not. */
export function upload(
  url: string,
  { method = 'POST', headers, body, signal }: RequestInit,
  onSent: (share: number) => void,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const request = new XMLHttpRequest()
  request.open(method, url)
  new Headers(headers).forEach((value, name) => {
    request.setRequestHeader(name, value)
  })
  request.upload.onprogress = ({ loaded, total }) => onSent(loaded / total)
  request.onload = () => resolve(new Response(request.responseText, { status: request.status }))
  request.onerror = () => reject(new TypeError('No answer came'))
  request.onabort = () => reject(signal?.reason)
  signal?.addEventListener('abort', () => request.abort())
  request.send(body as XMLHttpRequestBodyInit)
  return promise
}
