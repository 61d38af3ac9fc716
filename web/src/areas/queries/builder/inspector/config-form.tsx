/** Fields of a post-processor's config. */
import type { PostProcessorType } from "@weft/contracts";
import { useState } from "react";
import { AreaField, CheckField, SelectField, TextField } from "../../../../ui/field.tsx";
import { type ConfigField, PROCESSORS, type Row, type RowsField } from "../model/processors.ts";
import { JoinForm } from "./join-form.tsx";
import { MapControl, RowsControl } from "./row-fields.tsx";

type Config = Readonly<Record<string, unknown>>;

interface ConfigFormProps {
	readonly type: PostProcessorType;
	readonly config: Config;
	/** `undefined` takes a field away. */
	onChange(change: Config): void;
}

export function ConfigForm({ type, config, onChange }: ConfigFormProps) {
	if (type === "join") return <JoinForm config={config} onChange={onChange} />;
	const fields = PROCESSORS[type].fields.filter(({ when }) => when?.(config) ?? true);
	return fields.map((field) =>
		field.kind === "rows" ? (
			<RowsControl
				key={field.name}
				field={field}
				rows={readRows(config, field)}
				onChange={(rows) => onChange(withRows(config, field, rows))}
			/>
		) : (
			<Control
				key={field.name}
				field={field}
				value={config[field.name]}
				onChange={(value) => onChange({ [field.name]: value })}
			/>
		),
	);
}

/** The entries of a list, or the only one that the config has in place of the list. */
function readRows(config: Config, { name, flat = [], read }: RowsField): Row[] {
	const list = config[name];
	if (Array.isArray(list)) return list.map((entry) => read?.(entry) ?? { ...entry });
	const single = Object.fromEntries(flat.flatMap((key) => (config[key] === undefined ? [] : [[key, config[key]]])));
	return Object.keys(single).length > 0 ? [single] : [];
}

/** A single entry stays in its short form where it has one. */
function withRows(config: Config, { name, flat = [], write }: RowsField, rows: readonly Row[]): Config {
	const [first] = rows;
	const isShort = flat.length > 0 && rows.length === 1 && !Array.isArray(config[name]);
	const inPlace = Object.fromEntries(flat.map((key) => [key, isShort ? first?.[key] : undefined]));
	return { ...inPlace, [name]: isShort ? undefined : rows.map((row) => write?.(row) ?? row) };
}

type SingleField = Exclude<ConfigField, RowsField>;

function Control({ field, value, onChange }: { field: SingleField; value: unknown; onChange(value: unknown): void }) {
	if (field.kind === "map") return <MapControl label={field.label} value={value} onChange={onChange} />;
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
			.map((line) => (line.startsWith("{") ? (parseJson(line) ?? line) : line));
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

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
