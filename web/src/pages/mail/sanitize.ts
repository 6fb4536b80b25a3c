import purifier from 'dompurify'
import { liftStyles } from './lift-styles.ts'
import { StyleSheet } from './mail-styles.ts'

export interface Sanitized {
  /** Without elements and attributes that do anything. Its styles are in `css`; nothing in it names another host but links. */
  readonly body: HTMLElement
  readonly css: string
  /** Pictures that lie elsewhere, which are left out. */
  readonly leftOut: number
}

const forbidden = [
  ...['form', 'input', 'button', 'select', 'option', 'optgroup', 'textarea', 'fieldset', 'datalist', 'output', 'label'],
  ...['audio', 'video', 'source', 'track', 'picture', 'dialog', 'template', 'slot', 'map', 'area', 'meter', 'progress'],
]

/** Values of attributes: addresses of these kinds, and whatever is no address. */
const harmless = /^(?:(?:https?|mailto|tel|cid|data):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i

const linkable = /^(?:https?|mailto|tel):/i
const picture = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);/i

/** Takes all from a stranger's HTML that acts, loads, or leads anywhere but to a page that is asked for. `pictures` has the
 *  message's own, by Content-ID, as `data:` URLs. What is made is in a document of its own that has no window. */
export function sanitize(html: string, pictures: ReadonlyMap<string, string>): Sanitized {
  const lifted = liftStyles(html)
  const root = purifier.sanitize(lifted.html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: [...forbidden, 'style'],
    ADD_ATTR: ['data-own-style'],
    FORBID_ATTR: [
      'style',
      'srcset',
      'ping',
      'action',
      'formaction',
      'poster',
      'nonce',
      'usemap',
      'autofocus',
      'tabindex',
      'popover',
    ],
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    WHOLE_DOCUMENT: true,
    RETURN_DOM: true,
    ALLOWED_URI_REGEXP: harmless,
    ADD_URI_SAFE_ATTR: ['data-own-style'],
  })
  if (!(root instanceof HTMLElement)) throw new Error('The sanitizer answered no element')
  const body = root.querySelector('body') ?? root
  const styles = new StyleSheet()
  for (const css of lifted.css) styles.add(css)
  let leftOut = 0
  for (const element of [body, ...body.querySelectorAll<HTMLElement>('*')]) {
    if (element.localName === 'a') mendLink(element)
    if (element.localName === 'img' && !mendPicture(element, pictures)) leftOut++
    if (element.hasAttribute('background')) {
      element.removeAttribute('background')
      leftOut++
    }
    const style = element.getAttribute('data-own-style')
    if (style !== null) styles.move(element, style)
  }
  return { body, css: styles.text(), leftOut: leftOut + styles.leftOut }
}

/** A link opens a page of its own, which learns nothing of this one. */
function mendLink(link: Element): void {
  const href = link.getAttribute('href')?.trim() ?? ''
  link.removeAttribute('name')
  if (!linkable.test(href)) {
    link.removeAttribute('href')
    return
  }
  link.setAttribute('target', '_blank')
  link.setAttribute('rel', 'noopener noreferrer nofollow')
  link.setAttribute('title', href)
}

/** Answers whether the picture is there. Else its text stands in its place. */
function mendPicture(image: Element, pictures: ReadonlyMap<string, string>): boolean {
  const source = image.getAttribute('src')?.trim() ?? ''
  const own = /^cid:/i.test(source) ? (pictures.get(decoded(source.slice(4))) ?? '') : source
  image.removeAttribute('src')
  if (!picture.test(own)) return own === ''
  image.setAttribute('src', own)
  return true
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
