/** The fields of each kind of node, and of an edge. */
import type { PlanAnswer, PostProcessorType } from "@weft/contracts";
import {
	INJECT_MODES,
	POST_PROCESSOR_TYPES,
	PROPERTY_INCLUDES,
	SCOPES,
	SUPPLEMENTAL_KEYS,
	TIME_RANGES,
} from "@weft/contracts/browser";
import { CheckField, SelectField, TextField } from "../../../../ui/field.tsx";
import { STEP_OPTIONS } from "../additions.tsx";
import { type CanvasEdge, type CanvasNode, isLeadingTo, isPipeline } from "../model/canvas.ts";
import { COMMON_CLASSES } from "../model/common-classes.ts";
import { getName, SUPPLEMENTS } from "../model/describe.ts";
import { setData } from "../model/edit.ts";
import { PROCESSORS } from "../model/processors.ts";
import { useBuilderStore, useDoc } from "../store.ts";
import { useProperties } from "../use-properties.ts";
import { ConfigForm } from "./config-form.tsx";
import { PropertyOptions } from "./property-options.tsx";
import { formatValue, useField } from "./use-field.ts";

const SCOPE_NAMES = {
	self: "This object",
	children: "+ children",
	subtree: "+ whole subtree",
} as const;
const INCLUDE_NAMES = {
	all: "All",
	"naming-only": "Naming properties only",
	"config-only": "Configuration only",
} as const;
const RANGE_NAMES = { "24h": "24 hours", "1week": "A week", "1month": "A month", "3month": "Three months" } as const;

export function ClassForm({ node: { id, data } }: { node: CanvasNode }) {
	const set = useField(id);
	const className = formatValue(data.className);
	const { properties } = useProperties(className, "");
	const extras = (data.supplementalData ?? {}) as Record<string, unknown>;
	return (
		<>
			<TextField
				mono
				label="Class"
				list="weft-classes"
				data-first
				value={formatValue(data.className)}
				spellCheck={false}
				autoComplete="off"
				onChange={(event) => set("className", event.target.value.trim())}
			/>
			<datalist id="weft-classes">
				{COMMON_CLASSES.map(({ name, label }) => (
					<option key={name} value={name}>
						{label}
					</option>
				))}
			</datalist>
			<SelectField
				label="Rows"
				value={formatValue(data.scope) || "self"}
				options={SCOPES.map((value) => ({ value, label: SCOPE_NAMES[value] }))}
				onChange={(event) => set("scope", event.target.value)}
			/>
			<SelectField
				label="Attributes"
				value={formatValue(data.propertyInclude) || "all"}
				options={PROPERTY_INCLUDES.map((value) => ({ value, label: INCLUDE_NAMES[value] }))}
				onChange={(event) => set("propertyInclude", event.target.value)}
			/>
			<PropertyOptions id={`${id}-properties`} properties={properties} />
			<div className="grid grid-cols-2 gap-2">
				<TextField
					mono
					label="Order by"
					placeholder="dn"
					list={`${id}-properties`}
					hint="Prefix - for descending"
					value={formatValue(data.orderBy)}
					spellCheck={false}
					onChange={(event) => set("orderBy", event.target.value)}
				/>
				<TextField
					label="Limit"
					type="number"
					min={1}
					placeholder="all"
					value={formatValue(data.limit)}
					onChange={(event) => set("limit", event.target.value === "" ? undefined : Number(event.target.value))}
				/>
			</div>
			<TextField
				mono
				label="Only on this switch"
				placeholder="topology/pod-1/node-101"
				hint="Empty: the whole fabric."
				value={formatValue(data.node)}
				spellCheck={false}
				autoComplete="off"
				onChange={(event) => set("node", event.target.value.trim() || undefined)}
			/>
			<details open={Object.values(extras).includes(true)}>
				<summary className="cursor-pointer rounded-cell font-medium">Include</summary>
				<div className="mt-2 flex flex-col gap-1.5">
					{SUPPLEMENTAL_KEYS.map((key) => (
						<CheckField
							key={key}
							label={SUPPLEMENTS[key] ?? key}
							checked={extras[key] === true}
							onChange={(event) => set("supplementalData", { ...extras, [key]: event.target.checked || undefined })}
						/>
					))}
					<SelectField
						label="Records of the last"
						value={formatValue(data.timeRange)}
						options={[
							{ value: "", label: "(not limited)" },
							...TIME_RANGES.map((value) => ({ value, label: RANGE_NAMES[value] })),
						]}
						onChange={(event) => set("timeRange", event.target.value)}
					/>
				</div>
			</details>
			<details open={data.allowEmpty === true}>
				<summary className="cursor-pointer rounded-cell font-medium">Advanced</summary>
				<div className="mt-2">
					<CheckField
						label="Treat “not listed” as no rows"
						hint="For classes that are counted but never listed, as fabricNodePEp without vPC"
						checked={data.allowEmpty === true}
						onChange={(event) => set("allowEmpty", event.target.checked || undefined)}
					/>
				</div>
			</details>
		</>
	);
}

export function ProcessorForm({ node: { id, data } }: { node: CanvasNode }) {
	const set = useField(id);
	const store = useBuilderStore();
	const type = POST_PROCESSOR_TYPES.find((known) => known === data.processorType);
	const config = (data.config ?? {}) as Record<string, unknown>;
	return (
		<>
			<SelectField
				label="Step"
				data-first
				value={type ?? ""}
				hint={type && `${PROCESSORS[type].does}.`}
				options={[
					...(type ? [] : [{ value: "", label: formatValue(data.processorType) || "(choose)" }]),
					...STEP_OPTIONS,
				]}
				onChange={(event) => {
					const next = event.target.value as PostProcessorType;
					store.getState().edit((doc) => setData(doc, id, { processorType: next, config: PROCESSORS[next].start }));
				}}
			/>
			{type && (
				<ConfigForm
					key={type}
					type={type}
					config={config}
					onChange={(change) => set("config", omitUndefined({ ...config, ...change }))}
				/>
			)}
			<CheckField
				label="Paused: rows pass unchanged"
				checked={data.isPaused === true}
				onChange={(event) => set("isPaused", event.target.checked || undefined)}
			/>
		</>
	);
}

export const omitUndefined = (config: Record<string, unknown>): Record<string, unknown> =>
	Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));

interface OutputFormProps {
	readonly node: CanvasNode;
	/** Stages of the plan that this output belongs to. */
	readonly stages: PlanAnswer["stages"];
}

export function OutputForm({ node: { id, data }, stages }: OutputFormProps) {
	const set = useField(id);
	const doc = useDoc();
	const answers = stages.filter(({ is_result }) => is_result).flatMap(({ answer_node_ids }) => answer_node_ids);
	const isWired = (nodeId: string) => isLeadingTo(doc, nodeId, id);
	const [wired, others] = [answers.filter(isWired), answers.filter((nodeId) => !isWired(nodeId))];
	const names = (ids: readonly string[]) => ids.map((nodeId) => getName(doc, nodeId)).join(", ");
	return (
		<>
			<p className="m-0 text-muted">
				The result has the rows of the classes that lead here, and of every class of the stage without a class below it.
			</p>
			{answers.length > 0 && (
				<p className="m-0" role="status">
					Rows of <span className="mono">{names(wired)}</span>
					{others.length > 0 && (
						<>
							{wired.length > 0 && ", and "}of <span className="mono">{names(others)}</span>, which{" "}
							{others.length === 1 ? "is" : "are"} not connected here but {others.length === 1 ? "has" : "have"} no
							class below
						</>
					)}
					.
				</p>
			)}
			<CheckField
				label="Marked for snapshots"
				hint="The saved query's setting of snapshots decides."
				checked={data.enableTimeMachine === true}
				onChange={(event) => set("enableTimeMachine", event.target.checked || undefined)}
			/>
		</>
	);
}

const INJECT_NAMES = {
	filter_values: "keeps objects with one of the values",
	dn_scope: "keeps objects at or below one of the DNs",
	iterate: "one request per value",
} as const;

export function EdgeForm({ edge: { id, data } }: { edge: CanvasEdge }) {
	const set = useField(id);
	const store = useBuilderStore();
	const pipeline = isPipeline({ data });
	const turn = (to: string) =>
		store
			.getState()
			.edit((doc) =>
				setData(
					doc,
					id,
					to === "pipeline"
						? { edgeType: "pipeline", extractField: "dn", injectAs: "filter_values", injectProperty: "dn" }
						: { edgeType: undefined, extractField: undefined, injectAs: undefined, injectProperty: undefined },
				),
			);
	return (
		<>
			<SelectField
				label="This edge"
				data-first
				value={pipeline ? "pipeline" : "plain"}
				options={[
					{ value: "plain", label: "queries children" },
					{ value: "pipeline", label: "passes values to the next stage" },
				]}
				onChange={(event) => turn(event.target.value)}
			/>
			{pipeline && (
				<>
					<TextField
						mono
						label="Source field"
						hint="A field of the source rows."
						value={formatValue(data.extractField) || "dn"}
						spellCheck={false}
						onChange={(event) => set("extractField", event.target.value)}
					/>
					<SelectField
						label="Target class"
						value={formatValue(data.injectAs) || "filter_values"}
						options={INJECT_MODES.map((value) => ({ value, label: INJECT_NAMES[value] }))}
						onChange={(event) => set("injectAs", event.target.value)}
					/>
					{formatValue(data.injectAs) !== "dn_scope" && (
						<TextField
							mono
							label="Target property"
							value={formatValue(data.injectProperty) || "dn"}
							spellCheck={false}
							onChange={(event) => set("injectProperty", event.target.value)}
						/>
					)}
				</>
			)}
		</>
	);
}
