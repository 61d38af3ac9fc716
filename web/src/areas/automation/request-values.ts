/** The fields of a request beside its rows, with their draft. */
import type { AutomationTemplate, InputData } from "@weft/contracts";
import { useDraftState } from "../../platform/draft-state.ts";
import { toInstant, toLocal } from "../../platform/instant.ts";
import { useTimes } from "../../platform/profile.ts";
import { useTarget } from "../../platform/target.ts";
import type { ChosenCredential } from "./credential-field.tsx";
import { readPrompts, writePrompts } from "./launch-prompts.ts";

/** The content of a request, as the API takes it. */
export interface Wanted {
	readonly title: string;
	readonly description: string;
	readonly input_data: InputData;
	readonly check_mode: boolean;
	readonly target_controller: string | null;
	readonly scheduled_for: string | null;
	readonly automation_credential_id: number | null;
	readonly automation_credential_name: string;
	readonly watch_query_id: string | null;
	readonly change_plan: string | null;
	readonly change_window: string | null;
	/** Those launch prompts that the template lets requests set. */
	readonly prompts: Readonly<Record<string, unknown>>;
}

/** `target_controller` undefined: the one that the sidebar names. */
export type Before = Omit<Wanted, "target_controller"> & { readonly target_controller: string | null | undefined };

export const NOTHING_ASKED: Before = {
	title: "",
	description: "",
	input_data: [],
	check_mode: false,
	target_controller: undefined,
	scheduled_for: null,
	automation_credential_id: null,
	automation_credential_name: "",
	watch_query_id: null,
	change_plan: null,
	change_window: null,
	prompts: {},
};

export type RequestValues = ReturnType<typeof useRequestValues>;

/** Each field as state: its value, and the function that sets it. */
export function useRequestValues(before: Before, { askable }: AutomationTemplate) {
	const { zone } = useTimes();
	const target = useTarget();
	const title = useDraftState("title", before.title);
	const description = useDraftState("description", before.description);
	const [controller, setController] = useDraftState(
		"target_controller",
		before.target_controller === null ? "" : before.target_controller,
	);
	const dryRun = useDraftState("check_mode", before.check_mode);
	const scheduledBefore = before.scheduled_for === null ? "" : toLocal(before.scheduled_for, zone);
	const scheduled = useDraftState("scheduled_for", scheduledBefore);
	const credential = useDraftState<ChosenCredential>("credential", () => ({
		id: before.automation_credential_id?.toString() ?? "",
		name: before.automation_credential_name,
	}));
	const watched = useDraftState("watch_query_id", before.watch_query_id ?? "");
	const plan = useDraftState("change_plan", before.change_plan ?? "");
	const window = useDraftState("change_window", (before.change_plan === null && before.change_window) || "");
	const prompts = useDraftState("prompts", () => writePrompts(before.prompts));
	const chosenController = controller ?? target?.id ?? "";
	const scheduledFor = (): string | null => {
		if (scheduled[0] === scheduledBefore) return before.scheduled_for;
		return scheduled[0] === "" ? null : toInstant(scheduled[0], zone);
	};
	return {
		title,
		description,
		controller: [chosenController, setController] as const,
		dryRun,
		scheduled,
		credential,
		watched,
		plan,
		window,
		prompts,
		/** The request with these values and the given rows. */
		write: (rows: InputData): Wanted => ({
			title: title[0].trim(),
			description: description[0],
			input_data: rows,
			check_mode: dryRun[0],
			target_controller: chosenController || null,
			scheduled_for: scheduledFor(),
			automation_credential_id: credential[0].id === "" ? null : Number(credential[0].id),
			automation_credential_name: credential[0].name,
			watch_query_id: watched[0] || null,
			change_plan: plan[0] || null,
			change_window: window[0] || null,
			prompts: readPrompts(prompts[0], askable),
		}),
	};
}
