/** Structured logging, as pino does it: fields first, then a short text. */
type Write = (fields: object, text: string) => void;

export interface Log {
	debug: Write;
	info: Write;
	warn: Write;
	error: Write;
}
