/** Labelled controls with their hint and the service's message about them. */
import { CircleAlert, Eye, EyeOff } from "lucide-react";
import {
	type InputHTMLAttributes,
	type ReactNode,
	type Ref,
	type SelectHTMLAttributes,
	type TextareaHTMLAttributes,
	useId,
	useState,
} from "react";
import { joinClasses } from "./classes.ts";
import { FieldMessage } from "./field-message.tsx";

export interface Labelled {
	readonly label: string;
	readonly hint?: ReactNode;
	readonly error?: string | undefined;
	/** Leaves the label to screen readers. */
	readonly hideLabel?: boolean;
	readonly className?: string;
}

interface FieldProps extends Labelled {
	children(ids: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }): ReactNode;
}

export function Field({ label, hint, error, hideLabel = false, className, children }: FieldProps) {
	const id = useId();
	const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
	return (
		<div className={joinClasses("flex min-w-0 flex-col gap-1", className)}>
			<label htmlFor={id} className={hideLabel ? "sr-only" : "font-medium"}>
				{label}
			</label>
			{children({
				id,
				...(described ? { "aria-describedby": described } : {}),
				...(error ? { "aria-invalid": true } : {}),
			})}
			{hint && (
				<p id={`${id}-hint`} className="text-muted text-xs">
					{hint}
				</p>
			)}
			{error && (
				<p id={`${id}-error`} className="flex items-start gap-1 text-bad text-xs">
					<CircleAlert size={13} className="mt-px shrink-0" aria-hidden="true" />
					<FieldMessage text={error} />
				</p>
			)}
		</div>
	);
}

type InputProps = Labelled &
	Omit<InputHTMLAttributes<HTMLInputElement>, "id"> & { readonly mono?: boolean; readonly ref?: Ref<HTMLInputElement> };

export function TextField({ label, hint, error, hideLabel, className, mono = false, ...input }: InputProps) {
	return (
		<Field label={label} hint={hint} error={error} hideLabel={hideLabel ?? false} className={className ?? ""}>
			{(ids) => <input {...input} {...ids} className={joinClasses("control w-full", mono && "mono")} />}
		</Field>
	);
}

export function PasswordField({ label, hint, error, className, ...input }: Omit<InputProps, "type" | "mono">) {
	const [shown, setShown] = useState(false);
	const Icon = shown ? EyeOff : Eye;
	return (
		<Field label={label} hint={hint} error={error} className={className ?? ""}>
			{(ids) => (
				<span className="relative block">
					<input {...input} {...ids} data-secret type={shown ? "text" : "password"} className="control w-full pr-9!" />
					<button
						type="button"
						aria-label={shown ? "Hide the password" : "Show the password"}
						className="absolute inset-y-0 right-0 grid w-8 place-items-center rounded-control text-muted hover:text-fg"
						onClick={() => setShown(!shown)}
					>
						<Icon size={15} aria-hidden="true" />
					</button>
				</span>
			)}
		</Field>
	);
}

type AreaProps = Labelled &
	Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "id"> & {
		readonly mono?: boolean;
		/** Never stored in a draft. */
		readonly secret?: boolean;
	};

export function AreaField({
	label,
	hint,
	error,
	hideLabel,
	className,
	mono = false,
	secret = false,
	...area
}: AreaProps) {
	return (
		<Field label={label} hint={hint} error={error} hideLabel={hideLabel ?? false} className={className ?? ""}>
			{(ids) => (
				<textarea
					rows={3}
					{...area}
					{...ids}
					data-secret={secret || undefined}
					className={joinClasses("control h-auto! w-full resize-y py-1!", mono && "mono")}
				/>
			)}
		</Field>
	);
}

export interface Option {
	readonly value: string;
	readonly label: string;
	readonly disabled?: boolean;
}

type SelectProps = Labelled &
	Omit<SelectHTMLAttributes<HTMLSelectElement>, "id"> & { readonly options: readonly Option[] };

export function SelectField({ label, hint, error, hideLabel, className, options, ...select }: SelectProps) {
	return (
		<Field label={label} hint={hint} error={error} hideLabel={hideLabel ?? false} className={className ?? ""}>
			{(ids) => (
				<select {...select} {...ids} className="control w-full">
					{options.map(({ value, label: text, disabled }) => (
						<option key={value} value={value} disabled={disabled}>
							{text}
						</option>
					))}
				</select>
			)}
		</Field>
	);
}

type CheckProps = { readonly label: ReactNode; readonly hint?: ReactNode } & Omit<
	InputHTMLAttributes<HTMLInputElement>,
	"type" | "id"
>;

export function CheckField({ label, hint, className, ...input }: CheckProps) {
	const id = useId();
	return (
		<div className={joinClasses("flex min-w-0 items-start gap-2", className)}>
			<input
				{...input}
				id={id}
				type="checkbox"
				aria-describedby={hint ? `${id}-hint` : undefined}
				className="m-0 mt-0.5 size-4 shrink-0"
			/>
			<span className="min-w-0">
				<label htmlFor={id}>{label}</label>
				{hint && (
					<span id={`${id}-hint`} className="block text-muted text-xs">
						{hint}
					</span>
				)}
			</span>
		</div>
	);
}
