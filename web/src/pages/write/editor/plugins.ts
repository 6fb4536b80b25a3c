import { baseKeymap, chainCommands, exitCode } from 'prosemirror-commands'
import { history, redo, undo } from 'prosemirror-history'
import { InputRule, inputRules, wrappingInputRule } from 'prosemirror-inputrules'
import { keymap } from 'prosemirror-keymap'
import { liftListItem, sinkListItem, splitListItem } from 'prosemirror-schema-list'
import type { Command, Plugin } from 'prosemirror-state'
import { keysOf } from '../../../parts/actions/action.ts'
import { textActions } from './actions.ts'
import { schema } from './schema.ts'

const { nodes, marks } = schema

const breakLine: Command = (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView())
  return true
}

/** The keys of an action as ProseMirror names them. */
function keyed(action: (typeof textActions)[number]): [string, Command][] {
  const command: Command = (_state, _dispatch, view) => {
    if (view) action.do({ view, askLink: () => {} })
    return true
  }
  return keysOf(action).map((key) => [key.toLowerCase().replace('ctrl ', 'Mod-'), command])
}

/** Tab leaves the text, as elsewhere on the page. */
const keys: Record<string, Command> = {
  ...Object.fromEntries(textActions.flatMap(keyed)),
  'Mod-z': undo,
  'Mod-y': redo,
  'Shift-Mod-z': redo,
  'Shift-Enter': chainCommands(exitCode, breakLine),
  Enter: splitListItem(nodes.list_item),
  'Mod-[': liftListItem(nodes.list_item),
  'Mod-]': sinkListItem(nodes.list_item),
}

/** A web address becomes a link when a space follows it. */
const link = new InputRule(/(?:^|\s)(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)])\s$/, (state, match, start, end) => {
  const href = match[1] ?? ''
  const from = start + match[0].indexOf(href)
  if (state.doc.rangeHasMark(from, end, marks.link)) return null
  return state.tr
    .addMark(from, from + href.length, marks.link.create({ href }))
    .insertText(match[0].slice(-1), end)
    .removeStoredMark(marks.link)
})

export function plugins(): Plugin[] {
  return [
    inputRules({
      rules: [
        wrappingInputRule(/^\s*[-*]\s$/, nodes.bullet_list),
        wrappingInputRule(/^1[.)]\s$/, nodes.ordered_list),
        wrappingInputRule(/^\s*>\s$/, nodes.blockquote),
        link,
      ],
    }),
    keymap(keys),
    keymap(baseKeymap),
    history(),
  ]
}
