// Runs a wasm program with its arguments: node run_wasm.mjs PROGRAM ARGUMENT...
import {readFileSync} from 'node:fs';
import process from 'node:process';
import {WASI} from 'node:wasi';

const program = process.argv.slice(2);
const wasi = new WASI({version: 'preview1', args: program});
const module = new WebAssembly.Module(readFileSync(program[0]));
process.exitCode = wasi.start(new WebAssembly.Instance(module, {wasi_snapshot_preview1: wasi.wasiImport}));
