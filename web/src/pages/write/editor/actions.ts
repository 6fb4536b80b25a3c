import { lift, toggleMark, wrapIn } from 'prosemirror-commands'
import type { MarkType, NodeType } from 'prosemirror-model'
import { liftListItem, wrapInList } from 'prosemirror-schema-list'
import type { Command, EditorState } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import type { Action } from '../../../parts/actions/action.ts'
import { schema } from './schema.ts'

const { nodes, marks } = schema

interface Text {
  readonly view: Pick<EditorView, 'state' | 'dispatch' | 'focus'>
  readonly askLink: () => void
}

/** Actions on the text. Their keys are those of any editor. */
export const textActions: readonly Action<Text>[] = [
  { name: 'Bold', icon: 'bold', key: 'Ctrl B', on: hasMark(marks.strong), do: run(toggleMark(marks.strong)) },
  { name: 'Italic', icon: 'italic', key: 'Ctrl I', on: hasMark(marks.em), do: run(toggleMark(marks.em)) },
  {
    name: 'Underline',
    icon: 'underline',
    key: 'Ctrl U',
    on: hasMark(marks.underline),
    do: run(toggleMark(marks.underline)),
  },
  list('Bulleted list', 'bullets', nodes.bullet_list),
  list('Numbered list', 'numbers', nodes.ordered_list),
  {
    name: 'Quotation',
    icon: 'quote',
    on: isWithin(nodes.blockquote),
    do: (text) => run(isWithin(nodes.blockquote)(text) ? lift : wrapIn(nodes.blockquote))(text),
  },
  {
    name: 'Link',
    icon: 'link',
    on: hasMark(marks.link),
    do: (text) => (hasMark(marks.link)(text) ? run(toggleMark(marks.link))(text) : text.askLink()),
  },
]

function run(command: Command): (text: Text) => void {
  return ({ view }) => {
    command(view.state, view.dispatch)
    view.focus()
  }
}

function list(name: string, icon: 'bullets' | 'numbers', type: NodeType): Action<Text> {
  const on = isWithin(type)
  return { name, icon, on, do: (text) => run(on(text) ? liftListItem(nodes.list_item) : wrapInList(type))(text) }
}

function hasMark(type: MarkType): (text: { readonly view: { readonly state: EditorState } }) => boolean {
  return ({ view }) => {
    const { selection, storedMarks, doc } = view.state
    const { from, to, empty, $from } = selection
    return empty ? type.isInSet(storedMarks ?? $from.marks()) !== undefined : doc.rangeHasMark(from, to, type)
  }
}

function isWithin(type: NodeType): (text: { readonly view: { readonly state: EditorState } }) => boolean {
  return ({ view }) => {
    const { $from } = view.state.selection
    for (let depth = $from.depth; depth > 0; depth--) if ($from.node(depth).type === type) return true
    return false
  }
}
