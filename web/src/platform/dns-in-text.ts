/** DNs in a text of a message. Pure. */

/** A DN in a text: it begins at a root of the tree, and ends before a space or closing sign. */
const IN_TEXT =
	/(?<![\w/[-])(?:uni|topology|sys|comp)\/(?:\[[^[\]\s]*(?:\[[^[\]\s]*\][^[\]\s]*)*\]|[^\s[\]"'`<>,;()])+/g;
/** Signs at its end that belong to the sentence. */
const SENTENCE_END = /[.:!?]+$/;

/** The parts of a text, DNs and what stands between them. `at` is the place of a part. */
export function splitDnTexts(text: string): { at: number; part: string; isDn: boolean }[] {
	const parts: { at: number; part: string; isDn: boolean }[] = [];
	let end = 0;
	const add = (part: string, isDn: boolean) => {
		if (part !== "") parts.push({ at: end, part, isDn });
		end += part.length;
	};
	for (const { 0: found, index } of text.matchAll(IN_TEXT)) {
		add(text.slice(end, index), false);
		add(found.replace(SENTENCE_END, ""), true);
	}
	add(text.slice(end), false);
	return parts;
}
