/** The options of a field that limits a history to one controller. */
import type { timeMachineRoutes } from "@weft/contracts";
import type { AnswerOf } from "../../platform/call.ts";

export type Controllers = AnswerOf<typeof timeMachineRoutes.list>["controllers"];

interface Choice {
	/** Undefined: all of them, or none chosen yet if `all` is false. */
	readonly value: string | undefined;
	/** False: one must be chosen. */
	readonly all: boolean;
}

/** The option with an empty value is there whenever it may be the chosen one. */
export const listControllerOptions = (controllers: Controllers, { value, all }: Choice) => [
	...(all || value === undefined ? [{ value: "", label: all ? "All fabrics" : "Choose a fabric" }] : []),
	...controllers.flatMap(({ controller_connection_id: id, controller_connection_name: name }) =>
		id === null ? [] : [{ value: id, label: name }],
	),
];
