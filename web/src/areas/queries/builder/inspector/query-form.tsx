/** The query as a whole: what it asks before it runs, and how its rows are shaped at the end. */
import type { PostProcessorType } from "@weft/contracts";
import { POST_PROCESSOR_TYPES } from "@weft/contracts/browser";
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../../../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../../../../ui/field.tsx";
import { STEP_OPTIONS } from "../additions.tsx";
import type { Doc } from "../model/canvas.ts";
import { formatProcessor } from "../model/describe.ts";
import { PROCESSORS } from "../model/processors.ts";
import { useBuilderStore, useDoc } from "../store.ts";
import { ConfigForm } from "./config-form.tsx";
import { omitUndefined } from "./node-forms.tsx";

interface Entry {
	readonly type: string;
	readonly config?: Record<string, unknown>;
	readonly enabled?: boolean;
}
interface Variable {
	readonly id: string;
	readonly label?: string;
	readonly type?: string;
	readonly required?: boolean;
	readonly defaultValue?: unknown;
	readonly options?: readonly unknown[];
}

export function QueryForm() {
	const doc = useDoc();
	return (
		<>
			<PostProcessors doc={doc} />
			<Variables doc={doc} />
		</>
	);
}

function PostProcessors({ doc }: { doc: Doc }) {
	const store = useBuilderStore();
	/** Place of the step that was added last, which is shown open. */
	const [added, setAdded] = useState<number | null>(null);
	const entries = doc.postProcessors as readonly Entry[];
	const set = (next: readonly Entry[], stroke?: string) =>
		store.getState().edit((now) => ({ ...now, postProcessors: next }), stroke);
	const setEntry = (at: number, change: Partial<Entry>, stroke?: string) =>
		set(
			entries.map((entry, index) => (index === at ? { ...entry, ...change } : entry)),
			stroke && `post:${at}:${stroke}`,
		);
	const swap = (a: number, b: number) => {
		const next = [...entries];
		const [first, second] = [next[a], next[b]];
		if (first === undefined || second === undefined) return;
		next[a] = second;
		next[b] = first;
		set(next);
	};
	return (
		<section className="flex flex-col gap-2">
			<h2 className="m-0 font-semibold text-base">Post-processing</h2>
			{entries.length === 0 && (
				<p className="m-0 text-muted">No post-processors. Rows are shown as the controller returned them.</p>
			)}
			{entries.map((entry, at) => {
				const type = POST_PROCESSOR_TYPES.find((known) => known === entry.type);
				const config = entry.config ?? {};
				return (
					<details
						// biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
						key={`${at}:${entry.type}`}
						open={at === added}
						className="rounded-control border border-line px-2 py-1.5"
					>
						<summary className="flex cursor-pointer items-center gap-1 rounded-cell">
							<span className="num text-muted">{at + 1}.</span>
							<span className="min-w-0 flex-1 truncate font-medium">{formatProcessor(entry.type)}</span>
							{entry.enabled === false && <span className="text-muted text-xs">off</span>}
						</summary>
						<div className="mt-2 flex flex-col gap-2">
							{type ? (
								<>
									<p className="m-0 text-muted text-xs">{PROCESSORS[type].does}.</p>
									<ConfigForm
										type={type}
										config={config}
										onChange={(change) =>
											setEntry(at, { config: omitUndefined({ ...config, ...change }) }, Object.keys(change).join())
										}
									/>
								</>
							) : (
								<p className="m-0 text-muted">This processor is not known here; it is kept as it is.</p>
							)}
							<CheckField
								label="Enabled"
								checked={entry.enabled !== false}
								onChange={(event) => setEntry(at, { enabled: event.target.checked })}
							/>
							<div className="flex gap-1">
								<IconButton
									variant="ghost"
									label="Move up"
									icon={ArrowUp}
									disabled={at === 0}
									onClick={() => swap(at, at - 1)}
								/>
								<IconButton
									variant="ghost"
									label="Move down"
									icon={ArrowDown}
									disabled={at === entries.length - 1}
									onClick={() => swap(at, at + 1)}
								/>
								<IconButton
									variant="ghost"
									label="Remove this step"
									icon={Trash2}
									onClick={() => set(entries.filter((_, index) => index !== at))}
								/>
							</div>
						</div>
					</details>
				);
			})}
			<SelectField
				hideLabel
				label="Add a step"
				value=""
				options={[{ value: "", label: "Add a step …" }, ...STEP_OPTIONS]}
				onChange={(event) => {
					const type = event.target.value as PostProcessorType;
					set([...entries, { type, config: PROCESSORS[type].start }]);
					setAdded(entries.length);
				}}
			/>
		</section>
	);
}

function Variables({ doc }: { doc: Doc }) {
	const store = useBuilderStore();
	const variables = doc.variables as readonly Variable[];
	const set = (next: readonly Variable[], stroke?: string) =>
		store.getState().edit((now) => ({ ...now, variables: next }), stroke);
	const setOne = (at: number, change: Partial<Variable>) =>
		set(
			variables.map((variable, index) =>
				index === at ? (omitUndefined({ ...variable, ...change }) as unknown as Variable) : variable,
			),
			`variable:${at}:${Object.keys(change).join()}`,
		);
	return (
		<section className="flex flex-col gap-2 border-line border-t pt-3">
			<h2 className="m-0 font-semibold text-base">Variables</h2>
			{variables.length === 0 && (
				<p className="m-0 text-muted">
					None. Add a variable to use{" "}
					<span className="mono">
						{"$"}
						{"{name}"}
					</span>{" "}
					in filters.
				</p>
			)}
			{variables.map((variable, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a variable is its place: its name is edited
				<div key={at} className="flex flex-col gap-1.5 rounded-control border border-line p-2">
					<div className="flex items-end gap-1.5">
						<TextField
							mono
							label="Name"
							className="flex-1"
							value={variable.id}
							spellCheck={false}
							onChange={(event) => setOne(at, { id: event.target.value.trim() })}
						/>
						<SelectField
							label="Kind"
							className="w-24"
							value={variable.type ?? "text"}
							options={["text", "number", "select"].map((value) => ({ value, label: value }))}
							onChange={(event) => setOne(at, { type: event.target.value })}
						/>
						<IconButton
							variant="ghost"
							label="Remove this variable"
							icon={Trash2}
							onClick={() => set(variables.filter((_, index) => index !== at))}
						/>
					</div>
					{variable.type === "select" && (
						<TextField
							mono
							label="Options, comma-separated"
							value={(variable.options ?? [])
								.map((option) => (typeof option === "object" ? JSON.stringify(option) : String(option)))
								.join(",")}
							onChange={(event) => setOne(at, { options: event.target.value.split(",") })}
						/>
					)}
					<div className="flex items-end gap-3">
						<TextField
							mono
							label="Default"
							className="flex-1"
							value={variable.defaultValue === undefined ? "" : String(variable.defaultValue)}
							onChange={(event) =>
								setOne(at, { defaultValue: event.target.value === "" ? undefined : event.target.value })
							}
						/>
						<CheckField
							label="Required"
							className="pb-1.5"
							checked={variable.required === true}
							onChange={(event) => setOne(at, { required: event.target.checked })}
						/>
					</div>
				</div>
			))}
			<Button icon={Plus} onClick={() => set([...variables, { id: `value${variables.length + 1}`, type: "text" }])}>
				Add a variable
			</Button>
		</section>
	);
}
