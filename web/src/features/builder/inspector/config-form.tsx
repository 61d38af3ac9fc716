/** Fields of a post-processor's config. Lists and maps are JSON, applied once valid. */
import type { PostProcessorType } from "@weft/contracts";
import { useEffect, useState } from "react";
import { AreaField, CheckField, SelectField, TextField } from "../../../ui/field.tsx";
import { type ConfigField, PROCESSORS } from "../model/processors.ts";

type Config = Readonly<Record<string, unknown>>;

interface ConfigFormProps {
	readonly type: PostProcessorType;
	readonly config: Config;
	/** `undefined` takes a field away. */
	onChange(name: string, value: unknown): void;
}

export function ConfigForm({ type, config, onChange }: ConfigFormProps) {
	return PROCESSORS[type].fields.map((field) => (
		<Control
			key={field.name}
			field={field}
			value={config[field.name]}
			onChange={(value) => onChange(field.name, value)}
		/>
	));
}

function Control({ field, value, onChange }: { field: ConfigField; value: unknown; onChange(value: unknown): void }) {
	const { label, hint } = field;
	const common = { label, ...(hint ? { hint } : {}) };
	const text = value === undefined ? "" : String(value);
	const clear = (written: string) => (written === "" && field.optional ? undefined : written);
	switch (field.kind) {
		case "text":
		case "pattern":
			return (
				<TextField
					mono
					{...common}
					value={text}
					spellCheck={false}
					onChange={(event) => onChange(clear(event.target.value))}
				/>
			);
		case "number":
			return (
				<TextField
					{...common}
					type="number"
					value={text}
					onChange={(event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))}
				/>
			);
		case "flag":
			return (
				<CheckField
					label={label}
					checked={value === undefined ? (field.fallback ?? false) : value === true}
					onChange={(event) => onChange(event.target.checked)}
				/>
			);
		case "choice":
			return (
				<SelectField
					{...common}
					value={text}
					options={[
						...(field.optional || value === undefined ? [{ value: "", label: "(usual)" }] : []),
						...field.options.map((option) => ({ value: option, label: option })),
					]}
					onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
				/>
			);
		case "list":
			return <ListControl {...common} value={value} onChange={onChange} />;
		case "json":
			return <JsonControl {...common} value={value} example={field.example} onChange={onChange} />;
	}
}

interface PartProps {
	readonly label: string;
	readonly hint?: string;
	readonly value: unknown;
	onChange(value: unknown): void;
}

/** One text a line. */
function ListControl({ value, onChange, ...common }: PartProps) {
	const lines = Array.isArray(value)
		? value.map((item) => (typeof item === "string" ? item : JSON.stringify(item)))
		: [];
	const [text, setText] = useState(lines.join("\n"));
	const read = (written: string) =>
		written
			.split("\n")
			.map((line) => line.trim())
			.filter((line) => line !== "")
			.map((line) => (line.startsWith("{") ? (parse(line) ?? line) : line));
	return (
		<AreaField
			mono
			{...common}
			rows={Math.max(3, lines.length + 1)}
			value={text}
			spellCheck={false}
			onChange={(event) => {
				setText(event.target.value);
				onChange(read(event.target.value));
			}}
		/>
	);
}

function JsonControl({ value, example, onChange, hint, ...common }: PartProps & { example: unknown }) {
	const written = value === undefined ? "" : JSON.stringify(value, null, 1);
	const [text, setText] = useState(written);
	const [wrong, setWrong] = useState(false);
	// Undo changes it from outside.
	useEffect(
		() => setText((before) => (JSON.stringify(parse(before)) === JSON.stringify(value) ? before : written)),
		[value, written],
	);
	return (
		<AreaField
			mono
			{...common}
			hint={
				<>
					{hint && <>{hint} </>}
					<span className="mono break-all">{JSON.stringify(example)}</span>
				</>
			}
			error={wrong ? "Not valid JSON. The change is applied when it is valid." : undefined}
			value={text}
			rows={Math.min(10, Math.max(3, text.split("\n").length))}
			spellCheck={false}
			onChange={(event) => {
				const next = event.target.value;
				setText(next);
				const parsed = parse(next);
				setWrong(next.trim() !== "" && parsed === undefined);
				if (next.trim() === "") onChange(undefined);
				else if (parsed !== undefined) onChange(parsed);
			}}
		/>
	);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
