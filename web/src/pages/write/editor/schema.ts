import { type DOMOutputSpec, type MarkSpec, type NodeSpec, Schema } from 'prosemirror-model'
import { bulletList, listItem, orderedList } from 'prosemirror-schema-list'

/** Allowed targets of links. */
export const linkable = /^(?:https?|mailto|tel):/i

const nodes = {
  doc: { content: 'block+' },
  // As mail programs write a line; an empty one has the same height.
  paragraph: {
    content: 'inline*',
    group: 'block',
    parseDOM: [{ tag: 'p' }, { tag: 'div' }],
    toDOM: (): DOMOutputSpec => ['div', 0],
  },
  blockquote: {
    content: 'block+',
    group: 'block',
    defining: true,
    parseDOM: [{ tag: 'blockquote' }],
    toDOM: (): DOMOutputSpec => ['blockquote', 0],
  },
  bullet_list: { ...bulletList, content: 'list_item+', group: 'block' },
  ordered_list: { ...orderedList, content: 'list_item+', group: 'block' },
  list_item: { ...listItem, content: 'paragraph block*' },
  text: { group: 'inline' },
  image: {
    inline: true,
    group: 'inline',
    draggable: true,
    // Only pictures that were added here: `cid` names them, and the page shows them from this device.
    attrs: { cid: { validate: 'string' }, alt: { default: '', validate: 'string' } },
    parseDOM: [
      {
        tag: 'img[src^="cid:"]',
        getAttrs: (image) => ({ cid: image.getAttribute('src')?.slice(4), alt: image.getAttribute('alt') ?? '' }),
      },
    ],
    toDOM: ({ attrs }): DOMOutputSpec => ['img', { src: `cid:${attrs.cid}`, alt: attrs.alt }],
  },
  hard_break: {
    inline: true,
    group: 'inline',
    selectable: false,
    parseDOM: [{ tag: 'br' }],
    toDOM: (): DOMOutputSpec => ['br'],
  },
} satisfies Record<string, NodeSpec>

const marks = {
  link: {
    attrs: { href: { validate: 'string' } },
    inclusive: false,
    parseDOM: [
      {
        tag: 'a[href]',
        getAttrs: (link) => {
          const href = link.getAttribute('href') ?? ''
          return linkable.test(href) && { href }
        },
      },
    ],
    toDOM: ({ attrs }): DOMOutputSpec => ['a', { href: attrs.href, rel: 'noopener noreferrer' }, 0],
  },
  strong: {
    parseDOM: [{ tag: 'strong' }, { tag: 'b' }, { style: 'font-weight=bold' }],
    toDOM: (): DOMOutputSpec => ['strong', 0],
  },
  em: {
    parseDOM: [{ tag: 'em' }, { tag: 'i' }, { style: 'font-style=italic' }],
    toDOM: (): DOMOutputSpec => ['em', 0],
  },
  underline: { parseDOM: [{ tag: 'u' }], toDOM: (): DOMOutputSpec => ['u', 0] },
  code: { parseDOM: [{ tag: 'code' }], toDOM: (): DOMOutputSpec => ['code', 0] },
} satisfies Record<string, MarkSpec>

/** The formatting that can be written. Other pasted formatting becomes this, or plain text. */
export const schema = new Schema({ nodes, marks })
