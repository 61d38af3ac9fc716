/** The fields of an edited check, their preview and their save. */
import { useNavigate } from "@tanstack/react-router";
import type { Check, CheckType, FindingSeverity } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft } from "../../platform/draft-state.ts";
import { useEdited } from "../../platform/edited.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { showToast } from "../../ui/toast.tsx";
import { type Config, removeEmptyEntries, STARTS } from "./config.ts";
import { NOTIFY_START, type NotifyDraft } from "./recipients-field.tsx";

interface Fields {
	readonly name: string;
	readonly description: string;
	readonly saved_query: string;
	readonly controller_connection_ids: string[];
	readonly type: CheckType;
	readonly config: Config;
	readonly severity: FindingSeverity;
	readonly for_runs: number;
	readonly is_active: boolean;
	readonly is_public: boolean;
	readonly notify: NotifyDraft;
}

const getFields = (check: Check | null, queryId: string, type: CheckType): Fields => ({
	name: check?.name ?? "",
	description: check?.description ?? "",
	saved_query: check?.saved_query ?? queryId,
	controller_connection_ids: check?.controller_connection_ids ?? [],
	type: check?.type ?? type,
	config: check?.config ?? STARTS[type],
	severity: check?.severity ?? "warning",
	for_runs: check?.for_runs ?? 1,
	is_active: check?.is_active ?? true,
	is_public: check?.is_public ?? false,
	notify: check?.notify ?? NOTIFY_START,
});

/** Fields with a place for the service's message. */
const PLACED =
	/^(name|description|saved_query|controller_connection_ids|type|severity|for_runs|config\..+|notify\..+)$/;

/** A stored check, or what a new one begins with. */
export interface OpenedCheck {
	readonly saved: Check | null;
	/** Of a new check. */
	readonly queryId: string;
	readonly type?: CheckType | undefined;
}

export type CheckEdit = ReturnType<typeof useCheckEdit>;

export function useCheckEdit({ saved, queryId, type = "no_rows" }: OpenedCheck) {
	const draft = useDraft();
	const navigate = useNavigate();
	const may = useMay();
	const { edited, change, dirty, set } = useEdited(getFields(saved, queryId, type));
	/** Configurations of the types that were chosen before. */
	const [others, setOthers] = useState<Partial<Record<CheckType, Config>>>({});
	const canSave = saved === null ? may("add_check") : saved.can_edit;
	const guard = useSaveGuard(saved, ({ id }) => callRoute(checkRoutes.detail, { params: { id } }));
	const rule = {
		saved_query: edited.saved_query,
		controller_connection_ids: edited.controller_connection_ids,
		type: edited.type,
		config: removeEmptyEntries(edited.type, edited.config),
	};
	const ruleKey = JSON.stringify(rule);
	const preview = useAction(async (key: string) => ({
		key,
		answer: await callRoute(checkRoutes.preview, { body: JSON.parse(key) }),
	}));
	const save = useAction(
		async () => {
			if (saved === null) return callRoute(checkRoutes.create, { body: { ...edited, config: rule.config } });
			// The service takes a new type together with its configuration.
			const isRule = change.type !== undefined || change.config !== undefined;
			const body = isRule ? { ...change, type: edited.type, config: rule.config } : change;
			await guard.assertUnchanged(body);
			return callRoute(checkRoutes.update, { params: { id: saved.id }, body });
		},
		{
			stale: ["checks"],
			onSuccess(check) {
				showToast(`${check.name} is saved`);
				draft?.drop();
				void navigate({ to: "/checks/$id", params: { id: check.id }, replace: true });
			},
		},
	);
	const failure = save.error ?? preview.error;
	const errors = failure === null ? {} : findProblem(failure).fields;
	return {
		edited,
		isDirty: dirty,
		set,
		chooseType(next: CheckType) {
			setOthers((before) => ({ ...before, [edited.type]: edited.config }));
			set({ type: next, config: others[next] ?? STARTS[next] });
		},
		canSave,
		/** The service's messages, by field. */
		errors,
		/** What failed, if no field shows it. */
		failure: Object.keys(errors).some((path) => PLACED.test(path)) ? null : failure,
		save,
		submit() {
			preview.reset();
			save.mutate();
		},
		preview,
		/** Whether the preview is of other fields than the present ones. */
		isPreviewOld: preview.data?.key !== ruleKey,
		showPreview() {
			save.reset();
			preview.mutate(ruleKey);
		},
	};
}
