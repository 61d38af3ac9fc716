/** Judges a connection of a change window: compares its differences with all expectations. */
import type { TaskAnswer } from "../../../core/workers/serve.ts";
import { createJudging } from "../rules/expectations.ts";
import { buildInconclusiveItem } from "../rules/findings.ts";
import { type CheckToJudge, judgeCheckItem } from "../rules/judge-check.ts";
import { judgeQueryItem, type QueryToJudge } from "../rules/judge-query.ts";
import { findMissingExpectations } from "../rules/missing.ts";
import type { JudgedConnection, JudgedItem, Judging } from "../rules/types.ts";
import { judgeConnection } from "../rules/verdict.ts";

/** An item with its differences, or with the reason why it cannot be judged. */
export type ItemToJudge =
	| ({ readonly kind: "query" } & Omit<QueryToJudge, "judging" | "connectionId">)
	| ({ readonly kind: "check" } & Omit<CheckToJudge, "connectionId">)
	| { readonly kind: "none"; readonly of: "query" | "check"; readonly index: number; readonly reason: string };

export interface ConnectionTask {
	readonly judging: Omit<Judging, "compiled">;
	readonly connectionId: string;
	readonly items: readonly ItemToJudge[];
}

function judgeItem(one: ItemToJudge, connectionId: string, judging: Judging): JudgedItem {
	switch (one.kind) {
		case "none":
			return buildInconclusiveItem(one.of, one.index, connectionId, one.reason);
		case "query":
			return judgeQueryItem({ ...one, connectionId, judging });
		case "check":
			return judgeCheckItem({ ...one, connectionId });
	}
}

export const judgeTasks = {
	judge({ judging: given, connectionId, items }: ConnectionTask): TaskAnswer<JudgedConnection> {
		const judging = createJudging(given);
		const judged = items.map((one) => judgeItem(one, connectionId, judging));
		const missing = findMissingExpectations(connectionId, judged, judging);
		return { value: judgeConnection(connectionId, judged, missing, judging.failOn) };
	},
};
export type JudgeTasks = typeof judgeTasks;
