import type { LabelFields } from './label.ts'

/** The tags of Thunderbird, which other programs know too, with its names and colours: all that its users have set without giving a tag a name
 *  of their own. */
const tags: ReadonlyMap<string, LabelFields> = new Map([
  ['$label1', { name: 'Important', colour: '#ff0000' }],
  ['$label2', { name: 'Work', colour: '#ff9900' }],
  ['$label3', { name: 'Personal', colour: '#009900' }],
  ['$label4', { name: 'To Do', colour: '#3333ff' }],
  ['$label5', { name: 'Later', colour: '#993399' }],
])

/** How mail programs show a keyword; undefined if they have no name for it. */
export function programTag(keyword: string): LabelFields | undefined {
  return tags.get(keyword)
}
