import { lift, toggleMark, wrapIn } from 'prosemirror-commands'
import type { MarkType, NodeType } from 'prosemirror-model'
import { liftListItem, wrapInList } from 'prosemirror-schema-list'
import type { Command, EditorState } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { useState } from 'react'
import { ToggleButton } from 'react-aria-components/ToggleButton'
import { Toolbar } from 'react-aria-components/Toolbar'
import button from '../../../parts/form/icon-button.module.css'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { tip } from '../../../parts/state/tips.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { schema } from './schema.ts'

const { nodes, marks } = schema

/** Actions on the text. Their keys are those of any editor. */
export function EditorToolbar({ view }: { view: EditorView }) {
  const [asksLink, askLink] = useState(false)
  const { state } = view
  const run = (command: Command) => () => {
    command(view.state, view.dispatch, view)
    view.focus()
  }
  const list = (type: NodeType) => run(isWithin(state, type) ? liftListItem(nodes.list_item) : wrapInList(type))
  return (
    <Toolbar aria-label="Formatting">
      <Toggle
        name="Bold"
        shortcut="Ctrl B"
        icon="bold"
        is={hasMark(state, marks.strong)}
        onChange={run(toggleMark(marks.strong))}
      />
      <Toggle
        name="Italic"
        shortcut="Ctrl I"
        icon="italic"
        is={hasMark(state, marks.em)}
        onChange={run(toggleMark(marks.em))}
      />
      <Toggle
        name="Underline"
        shortcut="Ctrl U"
        icon="underline"
        is={hasMark(state, marks.underline)}
        onChange={run(toggleMark(marks.underline))}
      />
      <Toggle
        name="Bulleted list"
        icon="bullets"
        is={isWithin(state, nodes.bullet_list)}
        onChange={list(nodes.bullet_list)}
      />
      <Toggle
        name="Numbered list"
        icon="numbers"
        is={isWithin(state, nodes.ordered_list)}
        onChange={list(nodes.ordered_list)}
      />
      <Toggle
        name="Quotation"
        icon="quote"
        is={isWithin(state, nodes.blockquote)}
        onChange={run(isWithin(state, nodes.blockquote) ? lift : wrapIn(nodes.blockquote))}
      />
      <Toggle
        name="Link"
        icon="link"
        is={hasMark(state, marks.link)}
        onChange={hasMark(state, marks.link) ? run(toggleMark(marks.link)) : () => askLink(true)}
      />
      {asksLink && (
        <LinkDialog
          text={state.doc.textBetween(state.selection.from, state.selection.to)}
          onLink={(href, text) => {
            const node = schema.text(text, [marks.link.create({ href })])
            view.dispatch(view.state.tr.replaceSelectionWith(node, false).scrollIntoView())
          }}
          onClose={() => {
            askLink(false)
            // The dialog first returns the focus to the button.
            setTimeout(() => view.focus())
          }}
        />
      )}
    </Toolbar>
  )
}

interface ToggleProps {
  readonly name: string
  readonly shortcut?: string
  readonly icon: IconName
  readonly is: boolean
  readonly onChange: () => void
}

function Toggle({ name, shortcut, icon, is, onChange }: ToggleProps) {
  return (
    <ToggleButton {...tip(name, shortcut)} className={`${button.button}`} isSelected={is} onChange={onChange}>
      <Icon name={icon} />
    </ToggleButton>
  )
}

function hasMark({ selection: { from, to, empty, $from }, storedMarks, doc }: EditorState, type: MarkType): boolean {
  return empty ? type.isInSet(storedMarks ?? $from.marks()) !== undefined : doc.rangeHasMark(from, to, type)
}

function isWithin({ selection: { $from } }: EditorState, type: NodeType): boolean {
  for (let depth = $from.depth; depth > 0; depth--) if ($from.node(depth).type === type) return true
  return false
}
