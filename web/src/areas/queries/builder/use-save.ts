/** Saves the query, and keeps its unsaved canvas as a draft in this browser. */
import { useNavigate } from "@tanstack/react-router";
import type { SavedQuery } from "@weft/contracts";
import { savedQueryRoutes } from "@weft/contracts/browser";
import { useEffect, useMemo, useState } from "react";
import { callRoute, useAction } from "../../../platform/call.ts";
import { useSaveGuard } from "../../../platform/conflict.ts";
import { useMay, useProfile } from "../../../platform/profile.ts";
import { queries } from "../../../platform/weft.ts";
import { showToast } from "../../../ui/toast.tsx";
import { type Draft, dropDraft, writeDraft } from "./drafts.ts";
import { type Doc, getContent, getText } from "./model/canvas.ts";
import { useDoc } from "./store.ts";

const DRAFT_MS = 800;

/** A query as it was opened. */
export interface OpenedQuery {
	readonly saved: SavedQuery | null;
	/** As it was saved, or as a new query begins. */
	readonly doc: Doc;
	readonly draft: Draft | null;
	/** An old version that is looked at. */
	readonly version: string | null;
}

export type Save = ReturnType<typeof useSave>;

export function useSave({ saved, doc: begun, draft, version }: OpenedQuery) {
	const navigate = useNavigate();
	const may = useMay();
	const userId = useProfile()?.id;
	const doc = useDoc();
	const [base, setBase] = useState(() => getText(begun));
	const [isDraftShown, setDraftShown] = useState(draft !== null);
	const text = useMemo(() => getText(doc), [doc]);
	const isDirty = text !== base;
	const guard = useSaveGuard(saved, ({ id }) => callRoute(savedQueryRoutes.detail, { params: { id } }));

	// Stores the draft in this browser shortly after the last change.
	useEffect(() => {
		if (userId === undefined || version !== null) return;
		const timer = setTimeout(() => {
			if (isDirty)
				void writeDraft(userId, saved?.id ?? null, { doc, base: saved?.version_string ?? null, at: Date.now() });
			else void dropDraft(userId, saved?.id ?? null);
		}, DRAFT_MS);
		return () => clearTimeout(timer);
	}, [doc, isDirty, saved, userId, version]);

	const accept = (query: SavedQuery) => {
		guard.accept(query);
		setBase(getText(doc));
		setDraftShown(false);
		queries.setQueryData([savedQueryRoutes.detail.id, { params: { id: query.id } }], query);
		if (userId !== undefined) void dropDraft(userId, saved?.id ?? null);
		showToast(`Saved as ${query.version_string}`);
		if (saved?.id !== query.id || version !== null) void navigate({ to: "/builder/$id", params: { id: query.id } });
	};
	const action = useAction(
		async () => {
			if (saved === null) throw new Error("It has no name yet.");
			const body = getContent(doc);
			await guard.assertUnchanged(body);
			return callRoute(savedQueryRoutes.update, { params: { id: saved.id }, body });
		},
		{ stale: ["saved_queries"], onSuccess: accept },
	);
	return {
		isDirty,
		canSave: saved === null ? may("add_savedquery") : saved.can_edit,
		guard,
		action,
		/** Takes over the query as it was saved. */
		accept,
		/** The restored draft, until the user has decided about it. */
		restored: isDraftShown && isDirty ? draft : null,
		hideDraft: () => setDraftShown(false),
	};
}
