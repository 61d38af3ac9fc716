/** Objects of the palette: those of snapshots at once, and a way to ask the fabrics. */
import { useNavigate } from "@tanstack/react-router";
import { findRoutes } from "@weft/contracts/browser";
import { useEffect } from "react";
import { callRoute, useAnswer } from "../platform/call.ts";
import { useMay } from "../platform/profile.ts";
import { useTargets } from "../platform/target.ts";
import { showProblem } from "../ui/toast.tsx";
import { Group, Item, useDebounced } from "./palette-parts.tsx";

const SHOWN = 8;
/** Begins the values of objects: the service found them, and they stand first. */
const FOUND = "object:";
/** Begins the values of items that are there for every text: they stand last. */
const ALWAYS = "always:";

/** Whether an item is there for every text, so that one that is found comes before it. */
export const isForEveryText = (value: string): boolean => value.startsWith(ALWAYS);

/** The score of an item of this group; null for other items. */
export const scoreObject = (value: string): number | null =>
	value.startsWith(FOUND) ? 2 : value.startsWith(ALWAYS) ? 0.001 : null;

interface PaletteObjectsProps {
	/** The text without blanks around it. */
	readonly text: string;
	onSelect(value: string): void;
	onLeave(): void;
}

/** The first one is selected as soon as it is there, so that Enter opens its page. */
export function PaletteObjects({ text, onSelect, onLeave }: PaletteObjectsProps) {
	const navigate = useNavigate();
	const may = useMay();
	const settled = useDebounced(text);
	const enabled = settled.length > 1 && may("view_snapshot");
	const { data } = useAnswer(findRoutes.search, { query: { q: settled || "-", limit: String(SHOWN) } }, { enabled });
	// Objects of an earlier text must not be what Enter opens.
	const objects = enabled && text === settled ? (data?.objects ?? []) : [];
	const [first] = objects;
	const firstValue = first && `${FOUND}${first.connection.id} ${first.dn}`;
	useEffect(() => {
		if (firstValue !== undefined) onSelect(firstValue);
	}, [firstValue, onSelect]);
	if (objects.length === 0) return null;
	return (
		<Group heading="Objects">
			{objects.map(({ connection, dn, label, class_name, is_current }) => (
				<Item
					key={`${connection.id} ${dn}`}
					value={`${FOUND}${connection.id} ${dn}`}
					onSelect={() => {
						onLeave();
						void navigate({ to: "/objects", search: { connection: connection.id, dn } });
					}}
					aside={`${class_name} · ${connection.name}${is_current ? "" : " · gone"}`}
				>
					{label} <span className="mono text-muted text-xs">{dn}</span>
				</Item>
			))}
		</Group>
	);
}

/** Leads to all objects with the text, and asks the fabrics for it. */
export function FindVerbs({ text, onLeave }: Omit<PaletteObjectsProps, "onSelect">) {
	const navigate = useNavigate();
	const may = useMay();
	const targets = useTargets();
	if (text.length < 2 || !may("view_snapshot")) return null;
	const ask = async () => {
		const body = { q: text, controller_connection_ids: targets.map(({ id }) => id) };
		const { id } = await callRoute(findRoutes.startLive, { body });
		await navigate({ to: "/find", search: { q: text, live: id } });
	};
	return (
		<Group heading="Find this text">
			<Item
				value={`${ALWAYS}find`}
				onSelect={() => {
					onLeave();
					void navigate({ to: "/find", search: { q: text } });
				}}
			>
				All objects in snapshots
			</Item>
			{may("execute_savedquery") && targets.length > 0 && (
				<Item
					value={`${ALWAYS}ask`}
					onSelect={() => {
						onLeave();
						void ask().catch(showProblem);
					}}
				>
					Ask the fabrics now
				</Item>
			)}
		</Group>
	);
}
