/** Saves the query, and keeps its unsaved canvas as a draft in this browser. */
import { useNavigate } from "@tanstack/react-router";
import type { SavedQuery } from "@weft/contracts";
import { savedQueryRoutes } from "@weft/contracts/browser";
import { useEffect, useMemo, useRef, useState } from "react";
import { callRoute, useAction } from "../../../platform/call.ts";
import { useSaveGuard } from "../../../platform/conflict.ts";
import { useMay, useProfile } from "../../../platform/profile.ts";
import { queries } from "../../../platform/weft.ts";
import { showToast } from "../../../ui/toast.tsx";
import { type Draft, dropDraft, writeDraft } from "./drafts.ts";
import { type Doc, getContent, getText } from "./model/canvas.ts";
import { moveNodes } from "./model/edit.ts";
import { useBuilder, useBuilderStore, useDoc } from "./store.ts";

const DRAFT_MS = 100;

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
	const store = useBuilderStore();
	const arrangement = useBuilder((state) => state.arrangement);
	const [saveBase, setBase] = useState(begun);
	/** The query as it was opened, with the places where its nodes are drawn. */
	const base = useMemo(
		() => (arrangement === null ? saveBase : moveNodes(saveBase, arrangement)),
		[saveBase, arrangement],
	);
	const [isDraftShown, setDraftShown] = useState(draft !== null);
	const text = useMemo(() => getText(doc), [doc]);
	const isDirty = useMemo(() => text !== getText(base), [text, base]);
	const guard = useSaveGuard(saved, ({ id }) => callRoute(savedQueryRoutes.detail, { params: { id } }));

	/** Stores the latest change in this browser; null if it is stored already. */
	const keepDraft = useRef<(() => void) | null>(null);
	const wasDirty = useRef(false);
	useEffect(() => {
		if (userId === undefined || version !== null) return;
		const key = saved?.id ?? null;
		const keep = () => {
			keepDraft.current = null;
			void writeDraft(userId, key, { doc, base: saved?.version_string ?? null, at: Date.now() });
		};
		keepDraft.current = isDirty ? keep : null;
		if (isDirty) wasDirty.current = true;
		const timer = setTimeout(() => {
			if (isDirty) {
				keep();
				return;
			}
			// A canvas that was not changed leaves a stored draft alone.
			if (wasDirty.current) void dropDraft(userId, key);
			wasDirty.current = false;
		}, DRAFT_MS);
		return () => clearTimeout(timer);
	}, [doc, isDirty, saved, userId, version]);
	// A page that is left at once stores its draft before it goes.
	useEffect(() => {
		const keepNow = () => keepDraft.current?.();
		addEventListener("pagehide", keepNow);
		return () => {
			removeEventListener("pagehide", keepNow);
			keepNow();
		};
	}, []);

	const forgetDraft = () => {
		keepDraft.current = null;
		if (userId !== undefined) void dropDraft(userId, saved?.id ?? null);
	};
	const accept = (query: SavedQuery) => {
		guard.accept(query);
		setBase(doc);
		store.setState({ arrangement: null });
		setDraftShown(false);
		queries.setQueryData([savedQueryRoutes.detail.id, { params: { id: query.id } }], query);
		forgetDraft();
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
		base,
		isDirty,
		canSave: saved === null ? may("add_savedquery") : saved.can_edit,
		guard,
		action,
		/** Takes over the query as it was saved. */
		accept,
		/** The restored draft, until the user has decided about it. */
		restored: isDraftShown && isDirty ? draft : null,
		hideDraft: () => setDraftShown(false),
		discardDraft() {
			store.getState().edit(() => base);
			setDraftShown(false);
			forgetDraft();
		},
	};
}
