/** Names on the canvas that the class model does not have, with those that look like them. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ModelCheck } from "@weft/contracts";
import { mimToolRoutes } from "@weft/contracts/browser";
import { callRoute } from "../../../../platform/call.ts";
import { useMay } from "../../../../platform/profile.ts";
import { Button } from "../../../../ui/button.tsx";
import { Banner } from "../../../../ui/page.tsx";
import { type Doc, writeCanvas } from "../model/canvas.ts";
import { findClosestNames } from "../model/closest.ts";
import { replaceName } from "../model/edit.ts";
import { useBuilderStore } from "../store.ts";
import { serializeMeaning } from "../use-plan.ts";
import { useProperties } from "../use-properties.ts";

type ModelWarning = ModelCheck["warnings"][number];

interface ModelWarningsProps {
	/** The document after a pause. */
	readonly settled: Doc;
	/** Only those of this node; undefined: all. */
	readonly nodeId: string | undefined;
}

export function ModelWarnings({ settled, nodeId }: ModelWarningsProps) {
	const may = useMay()("view_modelclass");
	const { data } = useQuery({
		queryKey: [mimToolRoutes.check.id, serializeMeaning(settled)],
		queryFn: ({ signal }) => callRoute(mimToolRoutes.check, { body: { flow_data: writeCanvas(settled) } }, signal),
		enabled: may && settled.nodes.some(({ type }) => type === "classNode"),
		placeholderData: keepPreviousData,
		staleTime: Number.POSITIVE_INFINITY,
		retry: false,
	});
	const shown = data?.warnings.filter(({ node_id }) => nodeId === undefined || node_id === nodeId) ?? [];
	return shown.map((warning) => (
		<Warning key={`${warning.node_id} ${warning.property} ${warning.message}`} warning={warning} />
	));
}

function Warning({ warning: { node_id, class_name, property, message, suggestions } }: { warning: ModelWarning }) {
	const store = useBuilderStore();
	const { properties } = useProperties(property === null ? "" : class_name, "");
	const similar =
		property === null
			? suggestions
			: findClosestNames(
					property,
					properties.map(({ name }) => name),
				);
	return (
		<Banner
			tone="warn"
			title={message}
			action={similar.slice(0, 3).map((name) => (
				<Button key={name} onClick={() => store.getState().edit((doc) => replaceName(doc, node_id, property, name))}>
					Use {name}
				</Button>
			))}
		/>
	);
}
