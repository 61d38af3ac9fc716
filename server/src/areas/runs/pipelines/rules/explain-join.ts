/** What a join does, as a sentence for users. */
import type { PostProcessorConfig } from "@weft/contracts";
import { joinWords } from "../../../../core/text.ts";

type JoinConfig = PostProcessorConfig<"join">;

const MANY = { rows: "each", list: "as a list", count: "counted", first: "the first" } as const;

export function explainJoin({ base, attach }: JoinConfig): string {
	const parts = attach.map((entry) => `${entry.class} ${explainBy(base, entry)} (${MANY[entry.many]})`);
	const isSingle = attach.every(({ many }) => many !== "rows");
	const start = isSingle ? `One row for each ${base}` : `Rows of ${base}, one for each pair`;
	return `${start}, joined with ${joinWords(parts)}. All objects of these classes are read.`;
}

function explainBy(base: string, { class: attached, by }: JoinConfig["attach"][number]): string {
	switch (by) {
		case "child":
			return "below it";
		case "parent":
			return "above it";
		case "relation":
			return "that it points to, or that points to it";
		default:
			return `whose ${by.other} is the ${by.base} of ${attached === base ? "the first" : base}`;
	}
}
