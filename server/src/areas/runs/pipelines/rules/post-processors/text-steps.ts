/** The steps of `text-operations`. Each checks the length of its result before it builds it. */
import type { PostProcessorConfig } from "@weft/contracts";
import { buildTooLongValueError, computeValueRoom, limitValue } from "./bounds.ts";

export type TextStep = PostProcessorConfig<"text-operations">["operations"][number];

/** @throws ProcessorError where the text grows too long */
export function applySteps(text: string, steps: readonly TextStep[]): string {
	const room = computeValueRoom(text);
	return steps.reduce((value, step) => limitValue(applyStep(value, step, room), room), text);
}

function applyStep(text: string, step: TextStep, room: number): string {
	switch (step.operation) {
		case "trim":
			return text.trim();
		case "upper":
			return text.toUpperCase();
		case "lower":
			return text.toLowerCase();
		case "title":
			return text.replace(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());
		case "prefix":
			return step.text + text;
		case "suffix":
			return text + step.text;
		case "replace":
			return replaceAll(text, step.search, step.text, room);
		case "substring":
			return text.slice(step.start, step.end);
		case "split":
			return readPieceAt(text, step.separator, step.index);
	}
}

function replaceAll(text: string, search: string, by: string, room: number): string {
	const growth = by.length - search.length;
	if (growth > 0 && text.length + (text.length / search.length) * growth > room) {
		let length = text.length;
		for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + search.length)) {
			length += growth;
			if (length > room) throw buildTooLongValueError();
		}
	}
	return text.replaceAll(search, () => by);
}

/** The piece at an index, from the end where it is negative; empty where there is none. */
function readPieceAt(text: string, separator: string, index: number): string {
	const before = index >= 0 ? index : getCount(text, separator) + 1 + index;
	let start = 0;
	for (let i = 0; i < before; i += 1) {
		const found = text.indexOf(separator, start);
		if (found < 0) return "";
		start = found + separator.length;
	}
	if (before < 0) return "";
	const end = text.indexOf(separator, start);
	return text.slice(start, end < 0 ? undefined : end);
}

function getCount(text: string, part: string): number {
	let count = 0;
	for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
	return count;
}
