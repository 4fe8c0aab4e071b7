#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]
use touchstone_logic::*;
fn main(){ let d: serde_json::Value=serde_json::from_slice(&std::fs::read("/work/shared/data/cwq/test.json").unwrap()).unwrap();
for q in d.as_array().unwrap(){ let s=q["sparql"].as_str().unwrap(); if s.contains("#MANUAL"){continue;}
 let r=sparql::recognise(&sparql::parse(s).unwrap().query,&sparql::Namespaces::default()); println!("{}\t{}", q["ID"].as_str().unwrap(), match r {Ok(r)=>QueryGraph::of(&r.query).shape().code, Err(e)=>e.reason}); } }
