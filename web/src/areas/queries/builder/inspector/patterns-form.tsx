/** A filter of several patterns in groups. */
import { LOGICAL_OPERATORS, PATTERN_TYPES } from "@weft/contracts/browser";
import { Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "../../../../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../../../../ui/field.tsx";
import type { CanvasNode } from "../model/canvas.ts";
import { findClassAt, setData } from "../model/edit.ts";
import { useBuilderStore, useDoc } from "../store.ts";
import { useProperties } from "../use-properties.ts";
import { PropertyOptions } from "./property-options.tsx";

interface Pattern {
	readonly property: string;
	readonly pattern: string;
	readonly operator?: string;
	readonly type?: string;
	readonly negate?: boolean;
}
interface Group {
	readonly patterns: readonly Pattern[];
	readonly logicalOperator?: string;
}

const HOW = { starts: "starts with", ends: "ends with", contains: "contains", exact: "is" } as const;
const JOIN = { and: "all of them", or: "any of them", xor: "exactly one of them" } as const;
const NEW: Pattern = { property: "name", type: "starts", pattern: "" };

export function PatternsForm({ node: { id, data } }: { node: CanvasNode }) {
	const store = useBuilderStore();
	const className = String(findClassAt(useDoc(), id)?.data.className ?? "");
	const { properties } = useProperties(className, "");
	const groups = (Array.isArray(data.patternGroups) ? data.patternGroups : []) as readonly Group[];
	const set = (next: readonly Group[], stroke?: string) =>
		store.getState().edit((doc) => setData(doc, id, { patternGroups: next }), stroke);
	const setGroup = (g: number, group: Group, stroke?: string) =>
		set(
			groups.map((old, at) => (at === g ? group : old)),
			stroke,
		);
	const setPattern = (g: number, p: number, change: Partial<Pattern>) => {
		const group = groups[g];
		if (group === undefined) return;
		const patterns = group.patterns.map((old, at) => (at === p ? { ...old, ...change } : old));
		setGroup(g, { ...group, patterns }, `${id}:${g}.${p}.${Object.keys(change).join()}`);
	};
	const removePattern = (g: number, p: number) => {
		const group = groups[g];
		if (group === undefined) return;
		const patterns = group.patterns.filter((_, at) => at !== p);
		if (patterns.length > 0) setGroup(g, { ...group, patterns });
		else if (groups.length > 1) set(groups.filter((_, at) => at !== g));
	};
	return (
		<>
			<PropertyOptions id={`${id}-properties`} properties={properties} />
			{groups.length > 1 && (
				<SelectField
					label="Groups to match"
					value={String(data.groupCombineOperator ?? "and")}
					options={LOGICAL_OPERATORS.map((value) => ({ value, label: JOIN[value] }))}
					onChange={(event) =>
						store.getState().edit((doc) => setData(doc, id, { groupCombineOperator: event.target.value }))
					}
				/>
			)}
			{groups.map((group, g) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a group is its place
				<fieldset key={g} className="m-0 flex flex-col gap-2 rounded-control border border-line p-2">
					<legend className="px-1 text-muted text-xs">{groups.length > 1 ? `Group ${g + 1}` : "Patterns"}</legend>
					{group.patterns.length > 1 && (
						<SelectField
							label="Must match"
							value={group.logicalOperator ?? "and"}
							options={LOGICAL_OPERATORS.map((value) => ({ value, label: JOIN[value] }))}
							onChange={(event) => setGroup(g, { ...group, logicalOperator: event.target.value })}
						/>
					)}
					{group.patterns.map((pattern, p) => (
						<PatternRow
							// biome-ignore lint/suspicious/noArrayIndexKey: a pattern is its place
							key={p}
							position={p + 1}
							listId={`${id}-properties`}
							pattern={pattern}
							onChange={(change) => setPattern(g, p, change)}
							onRemove={() => removePattern(g, p)}
						/>
					))}
					<Button icon={Plus} onClick={() => setGroup(g, { ...group, patterns: [...group.patterns, NEW] })}>
						Add a pattern
					</Button>
				</fieldset>
			))}
			<Button icon={Plus} onClick={() => set([...groups, { logicalOperator: "or", patterns: [NEW] }])}>
				Add a group
			</Button>
		</>
	);
}

interface PatternRowProps {
	/** From one on, within its group. */
	readonly position: number;
	/** Id of the proposals for its property. */
	readonly listId: string;
	readonly pattern: Pattern;
	onChange(change: Partial<Pattern>): void;
	onRemove(): void;
}

function PatternRow({ position, listId, pattern, onChange, onRemove }: PatternRowProps) {
	return (
		<div className="flex flex-col gap-1.5 border-line border-b pb-2 last-of-type:border-b-0 last-of-type:pb-0">
			<div className="grid grid-cols-2 gap-1.5">
				<TextField
					mono
					hideLabel
					label={`Property of pattern ${position}`}
					list={listId}
					value={pattern.property}
					spellCheck={false}
					onChange={(event) => onChange({ property: event.target.value.trim() })}
				/>
				<SelectField
					hideLabel
					label={`Comparison of pattern ${position}`}
					value={pattern.type ?? "exact"}
					options={PATTERN_TYPES.map((value) => ({ value, label: HOW[value] }))}
					onChange={(event) => onChange({ type: event.target.value })}
				/>
			</div>
			<div className="flex items-center gap-1.5">
				<TextField
					mono
					hideLabel
					label={`Text of pattern ${position}`}
					className="flex-1"
					value={pattern.pattern}
					spellCheck={false}
					onChange={(event) => onChange({ pattern: event.target.value })}
				/>
				<CheckField
					label="not"
					checked={pattern.negate === true}
					onChange={(event) => onChange({ negate: event.target.checked })}
				/>
				<IconButton variant="ghost" label={`Remove pattern ${position}`} icon={Trash2} onClick={onRemove} />
			</div>
		</div>
	);
}
