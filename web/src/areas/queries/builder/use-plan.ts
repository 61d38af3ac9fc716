/**
 * The service's plan or errors for the canvas, shortly after the last change, and the next version.
 */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ControllerConnection, PlanAnswer, SavedQuery, VersionAnswer } from "@weft/contracts";
import { planningRoutes, savedQueryRoutes } from "@weft/contracts/browser";
import { useEffect, useState } from "react";
import { callRoute } from "../../../platform/call.ts";
import { findProblem } from "../../../platform/problem.ts";
import { type Doc, getText, writeCanvas } from "./model/canvas.ts";
import { NONE, placeProblems } from "./model/problems.ts";
import { useBuilderStore, useDoc } from "./store.ts";

const PAUSE_MS = 450;

/** The document after a pause in editing. Ignores positions. */
export function useSettledDoc(): Doc {
	const doc = useDoc();
	const [settled, setSettled] = useState(doc);
	useEffect(() => {
		const timer = setTimeout(() => setSettled(doc), PAUSE_MS);
		return () => clearTimeout(timer);
	}, [doc]);
	return settled;
}

/** Equal for documents that differ only in where their nodes are drawn. */
export const serializeMeaning = (doc: Doc): string =>
	getText({ ...doc, nodes: doc.nodes.map((node) => ({ ...node, position: { x: 0, y: 0 } })) });

export interface Plan {
	readonly answer: PlanAnswer | undefined;
	/** The error, beyond problems that are marked on the canvas. */
	readonly error: unknown;
	readonly isLoading: boolean;
}

/** @param connection where classes are counted; null: typical counts; undefined: not known yet */
export function usePlan(doc: Doc, connection: Pick<ControllerConnection, "id" | "name"> | null | undefined): Plan {
	const store = useBuilderStore();
	const connectionId = connection?.id ?? null;
	const hasClass = doc.nodes.some(({ type }) => type === "classNode");
	const { data, error, isFetching } = useQuery({
		queryKey: ["planning.generate_query", connectionId, serializeMeaning(doc)],
		queryFn: ({ signal }) =>
			callRoute(
				planningRoutes.plan,
				{
					body: {
						flow_data: writeCanvas(doc),
						variables: [...doc.variables],
						post_processors: [...doc.postProcessors],
						connection_id: connectionId,
					},
				},
				signal,
			),
		enabled: hasClass && connection !== undefined,
		placeholderData: keepPreviousData,
		staleTime: Number.POSITIVE_INFINITY,
		retry: false,
	});
	useEffect(() => {
		const fields = error === null || !hasClass ? {} : findProblem(error).fields;
		store.setState({ problems: Object.keys(fields).length === 0 ? NONE : placeProblems(doc, fields) });
	}, [error, hasClass, doc, store]);
	const fabric = connection?.name;
	useEffect(() => {
		if (data !== undefined) store.setState({ counts: fabric === undefined ? null : { fabric, byClass: data.counts } });
	}, [data, fabric, store]);
	return {
		answer: hasClass && error === null ? data : undefined,
		error: hasClass ? error : null,
		isLoading: hasClass && isFetching,
	};
}

/** The effect of saving on the version; undefined while unknown or unchanged. */
export function useVersionToCome(doc: Doc, saved: SavedQuery | null, isDirty: boolean): VersionAnswer | undefined {
	const { data } = useQuery({
		queryKey: ["saved_queries.version_preview", saved?.id, saved?.current_version_hash, serializeMeaning(doc)],
		queryFn: ({ signal }) =>
			callRoute(
				savedQueryRoutes.versionPreview,
				{
					params: { id: saved?.id ?? "" },
					body: {
						flow_data: writeCanvas(doc),
						post_processors: [...doc.postProcessors],
						variables: [...doc.variables],
					},
				},
				signal,
			),
		enabled: saved !== null && isDirty,
		staleTime: Number.POSITIVE_INFINITY,
		retry: false,
	});
	return isDirty ? data : undefined;
}
