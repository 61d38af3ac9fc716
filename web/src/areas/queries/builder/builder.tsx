/** The page of a query: loads the saved query and its draft for the workbench. */
import { getRouteApi } from "@tanstack/react-router";
import { savedQueryRoutes } from "@weft/contracts/browser";
import { useEffect, useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { useProfile } from "../../../platform/profile.ts";
import { PageHead, Skeleton } from "../../../ui/page.tsx";
import { Unloaded } from "../../../ui/unloaded.tsx";
import { type Draft, readDraft } from "./drafts.ts";
import { type Doc, EMPTY, readDoc } from "./model/canvas.ts";
import { CLASS_NAME } from "./model/common-classes.ts";
import { addNode, connectNodes } from "./model/edit.ts";
import { Workbench } from "./workbench.tsx";

const newRoute = getRouteApi("/app/builder");
const savedRoute = getRouteApi("/app/builder/$id");

export function NewQueryPage() {
	const { class: className } = newRoute.useSearch();
	const draft = useDraft(null, className === undefined);
	if (draft === undefined) return <Waiting title="New query" />;
	return (
		<Workbench key={className ?? "new"} saved={null} doc={buildStartDoc(className)} draft={draft} version={null} />
	);
}

/** A new canvas, with the class of the URL if there is one. */
function buildStartDoc(className: string | undefined): Doc {
	if (className === undefined || !CLASS_NAME.test(className)) return EMPTY;
	const { doc, id } = addNode(EMPTY, "classNode", { className }, className, "start");
	return connectNodes(doc, id, "output");
}

export function BuilderPage() {
	const { id } = savedRoute.useParams();
	const { version } = savedRoute.useSearch();
	const answer = useAnswer(savedQueryRoutes.detail, { params: { id } });
	const draft = useDraft(id, version === undefined);
	const old = useAnswer(
		savedQueryRoutes.version,
		{ params: { id, version: version ?? "" } },
		{ enabled: version !== undefined, staleTime: Number.POSITIVE_INFINITY },
	);
	const shown = version === undefined ? answer : old;
	const error = answer.error ?? (version === undefined ? null : old.error);
	if (error !== null && (answer.data === undefined || shown.data === undefined)) {
		return (
			<Unloaded
				what="Query"
				crumbs={[{ label: "Library", to: "/library" }]}
				error={error}
				onRetry={() => void Promise.all([answer.refetch(), shown.refetch()])}
			/>
		);
	}
	const content = shown.data;
	if (answer.data === undefined || content === undefined || draft === undefined) return <Waiting title="Query" />;
	const doc = readDoc(content.flow_data, content.post_processors, content.variables);
	return (
		<Workbench key={`${id}:${version ?? ""}`} saved={answer.data} doc={doc} draft={draft} version={version ?? null} />
	);
}

function Waiting({ title }: { title: string }) {
	return (
		<>
			<PageHead title={title} ruled />
			<Skeleton lines={6} className="max-w-xl p-5" />
		</>
	);
}

/** Loads the unsaved draft. Null: there is none, or drafts are off; undefined: it is loading. */
function useDraft(queryId: string | null, isEnabled: boolean): Draft | null | undefined {
	const profile = useProfile();
	const userId = profile?.id;
	const [draft, setDraft] = useState<{ readonly key: string; readonly draft: Draft | null } | null>(null);
	const key = `${userId}:${queryId}`;
	useEffect(() => {
		if (userId === undefined || !isEnabled) return;
		let current = true;
		void readDraft(userId, queryId).then((found) => current && setDraft({ key, draft: found }));
		return () => {
			current = false;
		};
	}, [userId, queryId, isEnabled, key]);
	if (!isEnabled) return userId === undefined ? undefined : null;
	return draft?.key === key ? draft.draft : undefined;
}
