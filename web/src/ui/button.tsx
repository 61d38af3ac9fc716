/** Buttons, and links that look like them. */
import { Link, type LinkProps } from "@tanstack/react-router";
import { LoaderCircle, type LucideIcon } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { joinClasses } from "./classes.ts";
import { Keys } from "./kbd.tsx";

type Variant = "primary" | "default" | "ghost" | "danger";

const LOOKS: Record<Variant, string> = {
	primary: "border-accent bg-accent text-accent-fg hover:bg-accent-hover hover:border-accent-hover",
	default: "border-line bg-surface text-fg hover:bg-sunken",
	ghost: "border-transparent bg-transparent text-fg hover:bg-sunken",
	danger: "border-line bg-surface text-bad hover:bg-bad-soft",
};

const getButtonClass = (variant: Variant, iconOnly: boolean): string =>
	joinClasses(
		"inline-flex h-7 shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-control border font-medium no-underline transition-colors duration-120 aria-disabled:cursor-default aria-disabled:opacity-55",
		iconOnly ? "w-7" : "px-2.5",
		LOOKS[variant],
	);

interface Content {
	readonly variant?: Variant;
	readonly icon?: LucideIcon;
	readonly children?: ReactNode;
	readonly keys?: string;
}

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children">, Content {
	readonly busy?: boolean | undefined;
	readonly ref?: Ref<HTMLButtonElement>;
}

/** Keeps its focus while it is busy or cannot be used: it is not disabled, it does nothing. */
export function Button({
	variant = "default",
	icon: Icon,
	keys,
	busy = false,
	disabled = false,
	type = "button",
	className,
	children,
	onClick,
	...rest
}: ButtonProps) {
	const inert = busy || disabled;
	return (
		<button
			{...rest}
			type={inert ? "button" : type}
			aria-disabled={inert || undefined}
			aria-busy={busy || undefined}
			className={joinClasses(getButtonClass(variant, false), className)}
			onClick={inert ? (event) => event.preventDefault() : onClick}
		>
			{busy ? (
				<LoaderCircle size={14} className="motion-safe:animate-spin" aria-hidden="true" />
			) : (
				Icon && <Icon size={14} aria-hidden="true" />
			)}
			{children}
			{keys && <Keys combo={keys} plain={variant === "primary"} />}
		</button>
	);
}

interface IconButtonProps extends Omit<ButtonProps, "children" | "icon"> {
	readonly label: string;
	readonly icon: LucideIcon;
}

export function IconButton({
	label,
	icon: Icon,
	variant = "default",
	keys,
	busy,
	disabled,
	className,
	onClick,
	...rest
}: IconButtonProps) {
	const inert = busy || disabled;
	return (
		<button
			type="button"
			{...rest}
			aria-label={label}
			aria-disabled={inert || undefined}
			data-tip={label}
			data-tip-keys={keys}
			className={joinClasses(getButtonClass(variant, true), className)}
			onClick={inert ? (event) => event.preventDefault() : onClick}
		>
			{busy ? (
				<LoaderCircle size={15} className="motion-safe:animate-spin" aria-hidden="true" />
			) : (
				<Icon size={15} aria-hidden="true" />
			)}
		</button>
	);
}

export function ButtonLink({ variant = "default", icon: Icon, keys, children, ...link }: LinkProps & Content) {
	return (
		<Link {...link} className={getButtonClass(variant, false)}>
			{Icon && <Icon size={14} aria-hidden="true" />}
			{children}
			{keys && <Keys combo={keys} plain={variant === "primary"} />}
		</Link>
	);
}

/** A text that acts, inside other text. */
export function TextButton({ className, ...rest }: ButtonHTMLAttributes<HTMLButtonElement>) {
	return (
		<button
			type="button"
			{...rest}
			className={joinClasses("rounded-cell font-medium text-accent-text hover:underline", className)}
		/>
	);
}
